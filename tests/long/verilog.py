"""Random designs in Verilog that have one meaning: all registers and memories have initial values, every index is
within its vector, and nothing is divided by zero. So a simulator of the source never shows an X where inputs are known.

A design is drawn from any object with the methods of `random.Random`.
"""

import dataclasses

BINARY = ["+", "-", "*", "&", "|", "^", "~^", "<<", ">>", ">>>", "&&", "||", "==", "!=", "<", "<=", ">", ">="]
UNARY = ["~", "-", "!", "&", "|", "^", "~&", "~|", "~^"]
#: Depth of an expression, and widths of signals.
DEPTH = 3
WIDTHS = [1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 12, 17, 33]
#: Bits of a factor, a divisor and what it divides.
NARROW = 6


@dataclasses.dataclass
class Signal:
    """A name with a width in bits; `low` is the number of its lowest bit."""

    name: str
    width: int
    signed: bool = False
    low: int = 0

    def declared(self, kind):
        """Its declaration, without the semicolon."""
        sign = "signed " if self.signed else ""
        return f"{kind} {sign}[{self.low + self.width - 1}:{self.low}] {self.name}"


@dataclasses.dataclass
class Module:
    """A module: its inputs but for the clock and the reset, its outputs, and its Verilog."""

    name: str
    inputs: list
    outputs: list
    text: str


class Writer:
    """Draws one module."""

    def __init__(self, draw, name, below, size):
        self.draw = draw
        self.name = name
        self.is_top = name == "top"
        self.below = below
        self.size = size
        self.lines = []
        self.signals = []

    def is_so(self, one_in):
        """True once in so many draws."""
        return self.draw.randint(0, one_in - 1) == one_in - 1

    def new(self, kind, width=None, signed=None):
        """A signal that nothing has read yet."""
        width = width or self.draw.choice(WIDTHS)
        signed = self.is_so(4) if signed is None else signed
        low = self.draw.randint(1, 5) if self.is_so(8) else 0
        return Signal(f"{kind}{len(self.signals) + len(self.lines)}", width, signed, low)

    def constant(self, width):
        """A number of so many bits, mostly a plain one."""
        value = self.draw.choice([0, 1, (1 << width) - 1, self.draw.getrandbits(width)])
        sign = "s" if self.is_so(6) else ""
        return f"{width}'{sign}h{value & ((1 << width) - 1):x}"

    def leaf(self):
        """A constant, a signal, or some of its bits."""
        if self.is_so(5):
            return self.constant(self.draw.choice(WIDTHS))
        signal = self.draw.choice(self.signals)
        kind = self.draw.randint(0, 5)
        if kind == 0:
            return f"{signal.name}[{signal.low + self.draw.randint(0, signal.width - 1)}]"
        if kind == 1:
            low = self.draw.randint(0, signal.width - 1)
            high = self.draw.randint(low, signal.width - 1)
            return f"{signal.name}[{signal.low + high}:{signal.low + low}]"
        if kind == 2:
            return self.picked(signal)
        return signal.name

    def narrow(self):
        """A signal, or some of its bits, of which there are few; with a sign or without."""
        signal = self.draw.choice(self.signals)
        if signal.width <= NARROW:
            return signal.name
        part = f"{signal.name}[{signal.low + NARROW - 1}:{signal.low}]"
        return f"$signed({part})" if self.is_so(3) else part

    def picked(self, signal):
        """The bits of a signal at an index that is computed, and cannot leave it."""
        # The index is a part of a signal with so few bits that its largest value is a bit of this one.
        bits = signal.width.bit_length() - 1
        index = self.draw.choice(self.signals)
        bits = min(bits, index.width)
        if bits == 0 or signal.low:
            return signal.name
        part = f"{index.name}[{index.low + bits - 1}:{index.low}]"
        room = signal.width - (1 << bits)
        if room and self.is_so(2):
            return f"{signal.name}[{part} +: {self.draw.randint(1, room + 1)}]"
        return f"{signal.name}[{part}]"

    def expression(self, depth=DEPTH):
        """An expression of any width."""
        if depth == 0 or self.is_so(4):
            return self.leaf()
        kind = self.draw.randint(0, 11)

        def below():
            return self.expression(depth - 1)

        if kind < 5:
            return self.operation(below)
        if kind == 5:
            return f"({self.draw.choice(UNARY)} ({below()}))"
        if kind == 6:
            return f"({below()} ? {below()} : {below()})"
        if kind == 7:
            return "{" + ", ".join(below() for _ in range(self.draw.randint(1, 3))) + "}"
        if kind == 8:
            return f"{{{self.draw.randint(1, 4)}{{{below()}}}}}"
        if kind == 9:
            return f"{self.draw.choice(['$signed', '$unsigned'])}({below()})"
        if kind == 10:
            divisor, operator = self.narrow(), self.draw.choice(["/", "%"])
            return f"(({divisor} == 0) ? {self.leaf()} : {{{self.narrow()} {operator} {divisor}}})"
        return f"({below()})"

    def operation(self, below):
        """Two operands and what is done with them. Shifts are short and factors are narrow, so that the
        gates are few."""
        operator = self.draw.choice(BINARY)
        if operator == "*":
            return f"{{{self.narrow()} * {self.narrow()}}}"
        if operator in ("<<", ">>", ">>>"):
            if self.is_so(2):
                return f"({below()} {operator} {self.draw.randint(0, 9)})"
            amount = self.draw.choice(self.signals)
            top = amount.low + min(amount.width, 4) - 1
            return f"({below()} {operator} {amount.name}[{top}:{amount.low}])"
        return f"({below()} {operator} {below()})"

    def statements(self, target, assign, depth, parts=True):
        """Statements that may assign a signal, or parts of it."""
        kind = self.draw.randint(0, 4) if depth else 0

        def below():
            return self.statements(target, assign, depth - 1, parts)

        if kind in (0, 1):
            if parts and target.width > 1 and self.is_so(4):
                low = self.draw.randint(0, target.width - 1)
                high = self.draw.randint(low, target.width - 1)
                part = f"{target.name}[{target.low + high}:{target.low + low}]"
                return f"{part} {assign} {self.expression()};"
            return f"{target.name} {assign} {self.expression()};"
        if kind == 2:
            return f"if ({self.expression(2)}) {below()}"
        if kind == 3:
            return f"if ({self.expression(2)}) begin {below()} end else begin {below()} end"
        on = self.draw.choice(self.signals)
        arms = "".join(
            f" {self.constant(on.width)}: begin {below()} end" for _ in range(self.draw.randint(1, 4))
        )
        word = self.draw.choice(["case", "casez"])
        return f"{word} ({on.name}){arms} default: begin {below()} end endcase"

    def wire(self):
        """A wire and its value."""
        wire = self.new("w")
        self.lines.append(f"{wire.declared('wire')} = {self.expression()};")
        self.signals.append(wire)

    def settled(self):
        """A variable that statements assign without a clock. It reads the reset, which every test bench changes at the
        start: nothing else tells a simulator to compute it."""
        target = self.new("v")
        start = f"rst ? {self.leaf()} : {self.expression(1)}"
        self.lines.append(
            f"{target.declared('reg')}; always @* begin {target.name} = {start};"
            f" {self.statements(target, '=', 2)} end"
        )
        self.signals.append(target)

    def register(self):
        """A register, which reads itself and what is declared before it."""
        target = self.new("r")
        initial = self.constant(target.width)
        self.signals.append(target)
        reset = self.draw.randint(0, 3)
        # Yosys makes a latch of a bit that an asynchronous reset sets and no edge of the clock writes.
        body = self.statements(target, "<=", 2, parts=reset != 3)
        edges = "posedge clk or posedge rst" if reset == 3 else "posedge clk"
        if reset >= 2:
            body = f"if (rst) {target.name} <= {self.constant(target.width)}; else begin {body} end"
        elif reset == 1:
            body = f"if ({self.leaf()}) begin {body} end"
        self.lines.append(f"{target.declared('reg')} = {initial}; always @({edges}) begin {body} end")

    def memory(self):
        """A memory with a port that writes and one that reads, at once or a cycle later."""
        bits = self.draw.randint(1, 4)
        of_bits = [signal for signal in self.signals if signal.width >= bits]
        if not of_bits:
            return self.register()
        word = self.new("m")
        number = len(self.lines)

        def address():
            signal = self.draw.choice(of_bits)
            return f"{signal.name}[{signal.low + bits - 1}:{signal.low}]"

        first, at = self.constant(word.width), f"at{number}"
        write = f"if ({self.leaf()}) store{number}[{address()}] <= {self.expression(2)};"
        read = f"store{number}[{address()}]"
        name = f"[{word.width - 1}:0] store{number} [0:{(1 << bits) - 1}]"
        text = (
            f"reg {name}; integer {at};"
            f" initial for ({at} = 0; {at} < {1 << bits}; {at} = {at} + 1) store{number}[{at}] = {first} + {at};"
        )
        if self.is_so(2):
            text += (
                f" {word.declared('reg')} = 0; always @(posedge clk) begin {write} {word.name} <= {read}; end"
            )
        else:
            text += f" always @(posedge clk) {write} {word.declared('wire')} = {read};"
        self.lines.append(text)
        self.signals.append(word)

    def instances(self):
        """Instances of a module below: one, or a row of which each takes what the one before gives."""
        below = self.draw.choice(self.below)
        number = len(self.lines)
        ports = [".clk(clk)", ".rst(rst)"]
        if below.inputs and self.is_so(3):
            return self.row(below, number, ports)
        ports += [f".{signal.name}({self.given(signal, 2)})" for signal in below.inputs]
        outputs = []
        for signal in below.outputs:
            own = Signal(f"u{number}_{signal.name}", signal.width)
            self.lines.append(own.declared("wire") + ";")
            ports.append(f".{signal.name}({own.name})")
            outputs.append(own)
        self.lines.append(f"{below.name} u{number} ({', '.join(ports)});")
        self.signals += outputs
        return None

    def given(self, port, depth):
        """A wire of its own for a port of an instance. Yosys 0.23 fails where an expression with a sign is one."""
        wire = Signal(f"p{len(self.lines)}", self.draw.choice([port.width, self.draw.choice(WIDTHS)]))
        self.lines.append(f"{wire.declared('wire')} = {self.expression(depth)};")
        return wire.name

    def row(self, below, number, ports):
        """Up to 40 instances side by side. The first input of each is what the one before it gives."""
        count = self.draw.randint(2, 40)
        given, taken = below.outputs[0], below.inputs[0]
        chain, at = f"chain{number}", f"g{number}"
        ports = ports + [f".{taken.name}({chain}[{at}])", f".{given.name}({chain}[{at} + 1])"]
        ports += [f".{signal.name}({self.given(signal, 1)})" for signal in below.inputs[1:]]
        result = Signal(f"u{number}", given.width)
        self.lines.append(
            f"wire [{given.width - 1}:0] {chain} [0:{count}]; assign {chain}[0] = {self.expression(2)};\n"
            f"genvar {at}; generate for ({at} = 0; {at} < {count}; {at} = {at} + 1) begin : row{number}\n"
            f"  {below.name} cell_of ({', '.join(ports)});\n"
            f"end endgenerate {result.declared('wire')} = {chain}[{count}];"
        )
        self.signals.append(result)

    def write(self):
        """The module."""
        inputs = []
        for _ in range(self.draw.randint(1, 4)):
            # Yosys 0.23 fails on instances with signs at their ports.
            signed = self.is_top and self.is_so(5)
            inputs.append(Signal(f"i{len(inputs)}", self.draw.choice(WIDTHS), signed))
        self.signals += inputs
        kinds = [self.register, self.wire, self.settled, self.memory] + [self.instances] * (2 if self.below else 0)
        for _ in range(self.draw.randint(1, self.size)):
            self.draw.choice(kinds)()
        shown = [signal for signal in self.signals if signal not in inputs and not self.is_so(3)]
        shown = shown or self.signals[-1:]
        outputs, ports = [], ["input wire clk", "input wire rst"]
        ports += [signal.declared("input wire") for signal in inputs]
        for signal in shown[-6:]:
            output = Signal(f"o{len(outputs)}", signal.width)
            outputs.append(output)
            ports.append(output.declared("output wire"))
            self.lines.append(f"assign {output.name} = {signal.name};")
        body = "\n".join(self.lines)
        text = f"module {self.name} (\n  " + ",\n  ".join(ports) + f"\n);\n{body}\nendmodule\n"
        return Module(self.name, inputs, outputs, text)


def design(draw):
    """The modules of a design, of which the last one is the top."""
    modules = []
    for level in range(draw.randint(0, 2)):
        modules.append(Writer(draw, f"part{level}", list(modules), 5).write())
    modules.append(Writer(draw, "top", list(modules), 10).write())
    return modules
