import { grouped } from '../../texts/texts.js';

/** A value; a link, by its address; or markup of our own, such as a time. */
export type Slot =
  string | number | { readonly href: string; readonly rel: string } | { readonly html: string };

const MARK = /(\{\w+\}|<\/?\w+>)/;
/** Tags that a text may hold as they are; others are links. */
const TAGS = ['strong', 'b', 'code', 'kbd'];

/**
 * A text of the catalogue as markup: `{days}` is a value, `<plans>…</plans>` a link, `<strong>` itself. Texts and
 * values are escaped, so that neither can bring markup along.
 *
 * @throws {Error} where a slot is missing, since a sentence with a hole in it says something else
 */
export function sentence(
  escaped: (text: string) => string,
  text: string,
  slots: Readonly<Record<string, Slot>> = {},
): string {
  const slotOf = (name: string): Slot => {
    const slot = slots[name];
    if (slot === undefined) throw new Error(`“${text}” needs ${name}`);
    return slot;
  };
  return text
    .split(MARK)
    .map((part, place) => {
      if (place % 2 === 0) return escaped(part);
      const name = part.replace(/\W/g, '');
      if (part.startsWith('{')) return valueOf(escaped, slotOf(name));
      if (TAGS.includes(name)) return part;
      return part.startsWith('</') ? '</a>' : linkOf(escaped, slotOf(name));
    })
    .join('');
}

function valueOf(escaped: (text: string) => string, slot: Slot): string {
  if (typeof slot === 'string') return escaped(slot);
  if (typeof slot === 'number') return grouped(slot);
  return 'html' in slot ? slot.html : '';
}

function linkOf(escaped: (text: string) => string, slot: Slot): string {
  if (typeof slot === 'string') return `<a href="${escaped(slot)}">`;
  if (typeof slot === 'number' || !('href' in slot)) throw new Error('a link needs its address');
  return `<a rel="${escaped(slot.rel)}" href="${escaped(slot.href)}">`;
}
