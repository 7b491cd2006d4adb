import { SaxesParser } from 'saxes';

/** Text that is well-formed XML. */
export class Xml {
  constructor(readonly text: string) {}
}

type Attributes = Readonly<Record<string, string | undefined>>;

/** @param children texts are escaped; undefined children are skipped */
export function tag(
  name: string,
  attributes: Attributes = {},
  ...children: readonly (Xml | string | undefined | readonly Xml[])[]
): Xml {
  const given = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escape(value)}"`],
  );
  const inner = children.flat().map((child) => {
    if (child === undefined) return '';
    return typeof child === 'string' ? escape(child) : child.text;
  });
  return new Xml(`<${name}${given.join('')}>${inner.join('')}</${name}>`);
}

export function document(root: Xml): string {
  return `<?xml version="1.0" encoding="UTF-8" standalone="no"?>${root.text}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

// Characters that no XML document may contain, unpaired surrogates included, become spaces.
function escape(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, ' ')
    .replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign);
}

/** An element of a document that was read. */
export class XmlElement {
  readonly children: XmlElement[] = [];
  text = '';

  constructor(
    /** Without its prefix. */
    readonly name: string,
    readonly namespace: string,
    readonly attributes: Readonly<Record<string, string>>,
  ) {}

  /** The first element along a path of names. */
  at(...path: readonly string[]): XmlElement | undefined {
    const [first, ...rest] = path;
    const found = this.children.find(({ name }) => name === first);
    return rest.length === 0 ? found : found?.at(...rest);
  }

  all(name: string): XmlElement[] {
    return this.children.filter((child) => child.name === name);
  }

  /** The text at a path, without the spaces around it; null where there is none. */
  textAt(...path: readonly string[]): string | null {
    return this.at(...path)?.text.trim() || null;
  }
}

/** Deeper than any frame; a document of open tags alone would cost a lot of memory. */
const MAX_DEPTH = 30;

/** @returns the root; null for a text that is no well-formed document, or has a DOCTYPE, which EPP has no use for */
export function readXml(text: string): XmlElement | null {
  const open: XmlElement[] = [];
  let root: XmlElement | null = null;
  const parser = new SaxesParser({ xmlns: true });
  parser.on('doctype', () => {
    throw new SyntaxError('a DOCTYPE');
  });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ local, uri, attributes }) => {
    const values = Object.values(attributes).map(({ local: key, value }) => [key, value] as const);
    const element = new XmlElement(local, uri, Object.fromEntries(values));
    if (open.length === MAX_DEPTH) throw new SyntaxError('too deep');
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  const addText = (part: string) => {
    const element = open.at(-1);
    if (element) element.text += part;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  try {
    parser.write(text).close();
    return root;
  } catch {
    return null;
  }
}
