/** What a page of a former site says, as plain text. It is a stranger's: bounded, and never markup. */
export interface PageText {
  readonly title: string;
  readonly text: string;
}

export const MAX_TITLE = 200;
export const MAX_TEXT = 2_000;
/** How far a page says its encoding. */
const HEAD_BYTES = 1_024;
/** Text that the reader of a page does not see. Their ends are looked for by name. */
const UNSEEN = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'iframe',
  'textarea',
  'select',
  'object',
]);
/** What stands within a line. */
const INLINE = new Set(
  'a abbr b bdi bdo cite code em font i kbd mark q s small span strong sub sup u var wbr'.split(' '),
);
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', copy: '©', reg: '®', trade: '™' },
  ...{
    hellip: '…',
    ndash: '–',
    mdash: '—',
    lsquo: '‘',
    rsquo: '’',
    ldquo: '“',
    rdquo: '”',
    bull: '•',
    middot: '·',
  },
  ...{
    eacute: 'é',
    egrave: 'è',
    uuml: 'ü',
    ouml: 'ö',
    auml: 'ä',
    pound: '£',
    euro: '€',
    raquo: '»',
    laquo: '«',
  },
};

/** @param contentType of the answer that carried the page */
export function readPage(body: Buffer, contentType: string | null): PageText {
  const { title, text } = splitPage(decoded(body, contentType));
  return { title: cut(plain(title), MAX_TITLE), text: cut(plain(text), MAX_TEXT) };
}

function decoded(body: Buffer, contentType: string | null): string {
  const head = `${contentType ?? ''} ${body.toString('latin1', 0, HEAD_BYTES)}`;
  const [, named = 'utf-8'] = /charset\s*=\s*["']?([\w:-]{1,40})/i.exec(head) ?? [];
  try {
    return new TextDecoder(named).decode(body);
  } catch {
    // The page names an encoding that does not exist.
    return new TextDecoder().decode(body);
  }
}

/** In one pass from left to right: no page makes it take longer than its length. */
function splitPage(html: string): PageText {
  const lower = html.toLowerCase();
  let title: string | undefined;
  let text = '';
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open < 0) break;
    text += html.slice(at, open);
    const name = /^\/?([a-z][a-z0-9]{0,15})/.exec(lower.slice(open + 1, open + 18))?.[1];
    if (name === undefined) {
      at = endOfOther(html, open);
      if (at === open + 1) text += '<';
      continue;
    }
    const close = html.indexOf('>', open);
    if (close < 0) return { title: title ?? '', text };
    at = close + 1;
    if (!INLINE.has(name)) text += ' ';
    if (lower[open + 1] === '/' || (name !== 'title' && !UNSEEN.has(name))) continue;
    const end = lower.indexOf(`</${name}`, at);
    if (end < 0) return { title: title ?? '', text };
    if (name === 'title') title ??= html.slice(at, end);
    at = end;
  }
  return { title: title ?? '', text: text + html.slice(at) };
}

/** Where a comment or a declaration ends; a lone `<` is one character of text. */
function endOfOther(html: string, open: number): number {
  const ends = html.startsWith('<!--', open) ? '-->' : /^<[!?]/.test(html.slice(open, open + 2)) ? '>' : null;
  if (ends === null) return open + 1;
  const end = html.indexOf(ends, open + 2);
  return end < 0 ? html.length : end + ends.length;
}

function plain(text: string): string {
  return (
    text
      .replace(
        /&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi,
        (whole, code: string) => characterOf(code) ?? whole,
      )
      // Characters that show nothing, or that turn the order of others round.
      .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\uFFFD]/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim()
  );
}

function characterOf(code: string): string | undefined {
  if (!code.startsWith('#')) return ENTITIES[code.toLowerCase()];
  const point = /^#x/i.test(code) ? parseInt(code.slice(2), 16) : Number(code.slice(1));
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : ' ';
}

/** Whole characters, at the end of a word where one is near. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '');
  const space = head.lastIndexOf(' ');
  return `${space > max / 2 ? head.slice(0, space) : head}…`;
}
