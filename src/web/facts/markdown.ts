import MarkdownIt, { type PluginSimple } from 'markdown-it';

/** The address of a link on the site; null: the words are no link, as the site has no such page. */
export type Linker = (href: string) => string | null;

/** A rendered document. */
export interface Rendered {
  /** The first heading; empty without one. */
  readonly title: string;
  /** Headings of the second level with their ids. */
  readonly parts: readonly { readonly words: string; readonly id: string }[];
  readonly html: string;
}

/** Renders Markdown under our policy: HTML in it is escaped, and pictures are left out. */
export function renderMarkdown(text: string, linkTo: Linker): Rendered {
  const markdown = new MarkdownIt({ html: false }).disable('image').use(forPages(linkTo));
  const tokens = markdown.parse(text, {});
  const headings = tokens.flatMap((token, place) =>
    token.type === 'heading_open'
      ? [{ level: token.tag, words: plain(tokens[place + 1]?.content ?? '') }]
      : [],
  );
  return {
    title: headings.find(({ level }) => level === 'h1')?.words ?? '',
    parts: headings.filter(({ level }) => level === 'h2').map(({ words }) => ({ words, id: idOf(words) })),
    html: markdown.renderer.render(tokens, markdown.options, {}),
  };
}

function forPages(linkTo: Linker): PluginSimple {
  return ({ renderer: { rules } }) => {
    let isLink = true;
    rules.heading_open = (tokens, place) => {
      const tag = tokens[place]?.tag ?? 'h2';
      return `<${tag} id="${idOf(plain(tokens[place + 1]?.content ?? ''))}">`;
    };
    // Focusable, so that wide ones can be scrolled with the keyboard.
    rules.fence = (tokens, place) => {
      const { content = '' } = tokens[place] ?? {};
      return `<pre tabindex="0"><code>${escaped(content)}</code></pre>\n`;
    };
    rules.table_open = (tokens, place) => {
      const number = tokens.slice(0, place + 1).filter(({ type }) => type === 'table_open').length;
      return `<div class="table" role="region" aria-label="Table ${number}" tabindex="0"><table>\n`;
    };
    rules.table_close = () => '</table></div>\n';
    rules.th_open = () => '<th scope="col">';
    rules.link_open = (tokens, place, options, _env, self) => {
      const token = tokens[place];
      const address = linkTo(token?.attrGet('href') ?? '');
      // Links are never nested.
      isLink = address !== null;
      if (address === null) return '';
      token?.attrSet('href', address);
      return self.renderToken(tokens, place, options);
    };
    rules.link_close = () => (isLink ? '</a>' : '');
  };
}

// GitHub's rule, so that a link works there and here.
function idOf(words: string): string {
  return words
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}

const plain = (text: string): string => text.replaceAll(/[`*]/g, '');

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => SIGNS[sign] ?? sign);
