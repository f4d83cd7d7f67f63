//! What makes a page hard to read, found by scripts within it. Each gives a list, which is empty if all is well.

/// Elements that reach beyond the window's right edge, and are in nothing that scrolls.
pub const WIDER_THAN_THE_WINDOW: &str = r"(() => {
  const width = document.documentElement.clientWidth;
  const scrolls = (e) => e && (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  if (document.documentElement.scrollWidth <= width) return [];
  const wide = (e) => e.getBoundingClientRect().right > width + 1 && !scrolls(e);
  return [...document.body.querySelectorAll('*')].filter(wide).slice(0, 5).map((e) => e.outerHTML.slice(0, 200));
})()";

/// Texts whose contrast is below 4.5 : 1, or 3 : 1 if they are large (WCAG 2.1, 1.4.3); what only decorates is left out.
pub const TOO_FAINT: &str = r"(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((c, i) => c * a + under[i] * (1 - a));
  const behind = (e) => {
    if (!e) return rgba(matchMedia('(prefers-color-scheme: dark)').matches ? 'black' : 'white').slice(0, 3);
    const own = rgba(getComputedStyle(e).backgroundColor);
    return own[3] === 1 ? own.slice(0, 3) : over(own, behind(e.parentElement));
  };
  const linear = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const faint = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    const text = walker.currentNode.data.trim();
    if (!text || text === '·' || e.closest('script, noscript, [aria-hidden=true]') || !e.checkVisibility()) continue;
    const style = getComputedStyle(e);
    const under = behind(e);
    const [a, b] = [light(over(rgba(style.color), under)), light(under)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) faint.set(e.className || e.tagName, ratio.toFixed(2) + ' ' + text.slice(0, 40));
  }
  return [...faint].map(([what, why]) => what + ': ' + why);
})()";

/// Controls and pictures that have no name that could be read out.
pub const NAMELESS: &str = r#"[...document.querySelectorAll('button, input, a[href], [role="button"], [role="img"], summary')]
  .filter((e) => e.checkVisibility())
  .filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length > 0 || e.title))
  .map((e) => e.outerHTML.slice(0, 200))"#;

/// What axe finds of the levels A and AA.
pub const BY_AXE: &str = r"axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] })
  .then((all) => all.violations.map((v) => v.id + ': ' + v.nodes.length + ' × ' + v.nodes[0].html.slice(0, 160)))";
