//! A picture in the part of SVG that all converters draw.
//!
//! The library that draws writes two things that some of them misread: ImageMagick fills a curve whose
//! opacity is given as 1, and leaves out the shift `dy` of text. Both are written in another form here,
//! and elements that name no line have none. What is seen is the same.

/// Height of a small letter, as a fraction of the size of the font.
const EX: f64 = 0.5;

/// The same picture without opacities of 1 and shifts of text.
pub(super) fn plain(svg: &str) -> String {
    let mut plain = String::with_capacity(svg.len());
    for (number, element) in svg.split('<').enumerate() {
        if number > 0 {
            plain.push('<');
        }
        let Some((tag, rest)) = element.split_once('>') else {
            plain.push_str(element);
            continue;
        };
        let mut tag = tag.replace(" opacity=\"1\"", "");
        if tag.starts_with("svg ") {
            tag = tag.replacen(" xmlns=", " stroke=\"none\" xmlns=", 1);
        }
        if tag.starts_with("text ") {
            tag = unshifted(&tag).unwrap_or(tag);
        }
        plain.push_str(&tag);
        plain.push('>');
        plain.push_str(rest);
    }
    plain
}

/// The tag of a text with its shift as part of its place; `None` where it has none.
fn unshifted(tag: &str) -> Option<String> {
    let shift = attribute(tag, "dy")?;
    let size: f64 = attribute(tag, "font-size")?.parse().ok()?;
    let place = attribute(tag, "y")?;
    let em: f64 = match shift.strip_suffix("em") {
        Some(number) => number.parse().ok()?,
        None => shift.strip_suffix("ex")?.parse::<f64>().ok()? * EX,
    };
    let moved = place.parse::<f64>().ok()? + em * size;
    let tag = tag.replacen(&format!(" dy=\"{shift}\""), "", 1);
    Some(tag.replacen(&format!(" y=\"{place}\""), &format!(" y=\"{moved:.1}\""), 1))
}

/// The value of an attribute.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    Some(rest.split_once('"')?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opacities_and_shifts_are_written_out() {
        let svg = "<svg width=\"4\" xmlns=\"x\">\n<polyline fill=\"none\" opacity=\"1\" points=\"\"/>\n\
                   <text x=\"1\" y=\"100\" dy=\"0.76em\" font-size=\"50\" opacity=\"1\">\nopacity=\"1\"\n\
                   </text>\n<text x=\"1\" y=\"100\" dy=\"-0.5ex\" font-size=\"50\">a</text>\n\
                   <circle opacity=\"0.12\"/></svg>";
        let expected = "<svg width=\"4\" stroke=\"none\" xmlns=\"x\">\n\
                        <polyline fill=\"none\" points=\"\"/>\n\
                        <text x=\"1\" y=\"138.0\" font-size=\"50\">\nopacity=\"1\"\n\
                        </text>\n<text x=\"1\" y=\"87.5\" font-size=\"50\">a</text>\n\
                        <circle opacity=\"0.12\"/></svg>";
        assert_eq!(plain(svg), expected);
    }
}
