import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Account } from '../../accounts/accounts.service.js';
import { fillIn, t } from '../../texts/texts.js';
import { escaped } from '../layout/templates.js';
import { messageInWords } from '../layout/words.js';

type Render = (account: Account, request: Request) => Promise<string> | string;

/** The pages that hold forms, so that a refused form is answered by its own page. */
@Injectable()
export class FormsInPlace {
  private readonly pages = new Map<string, Render>();

  /** @param path of the page; `:id` stands for its last segment */
  register(path: string, render: Render): void {
    this.pages.set(path, render);
  }

  /** The page that holds the form which is sent to this path. */
  find(path: string): { render: Render; id: string } | undefined {
    const segments = path.split('/').filter((segment) => segment !== '');
    for (let length = segments.length; length > 0; length -= 1) {
      const id = segments[length - 1] ?? '';
      const before = segments.slice(0, length - 1);
      for (const last of [id, ':id']) {
        const render = this.pages.get(`/${[...before, last].join('/')}`);
        if (render) return { render, id };
      }
    }
    return undefined;
  }
}

type Entered = Readonly<Record<string, unknown>>;

/**
 * Fills a refused form in again, except passwords, marks the fields that the message names and focuses the first.
 *
 * @param action address that the form was sent to
 * @param opening what the note begins with where a field is marked
 */
export function withProblem(
  html: string,
  action: string,
  entered: Entered,
  message: string,
  opening: string = t.forms.notSaved,
): string {
  const start = html.indexOf(`action="${escaped(action)}"`);
  const opens = html.lastIndexOf('<form', start);
  const ends = html.indexOf('</form>', start);
  if (start < 0) return withNote(html, escaped(messageInWords(message)));
  const form = html.slice(opens, ends);
  const faults = faultsIn(form, message);
  const marked = faults.reduce(marking, refilled(form, entered));
  const before = opened(html.slice(0, opens));
  const [first] = faults;
  const label = first && labelOf(form, first.id);
  const link = label ? ` <a href="#${first.id}">${fillIn(t.forms.goTo, { label })}</a>` : '';
  const note = first ? `${escaped(opening)}${link}` : escaped(messageInWords(message));
  return withNote(before, note) + marked + html.slice(ends);
}

function withNote(html: string, note: string): string {
  return html.replace(
    '</h1>',
    `</h1>\n    <p class="note bad" role="alert">${note.replaceAll('$', '$$$$')}</p>`,
  );
}

const INPUT = /<input\b[^>]*>/g;
const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];
const KEPT = ['hidden', 'password', 'file'];

function refilled(form: string, entered: Entered): string {
  return form
    .replace(INPUT, (tag) => {
      const type = attribute(tag, 'type') ?? 'text';
      const values = valuesOf(entered, attribute(tag, 'name'));
      if (KEPT.includes(type)) return tag;
      if (type === 'checkbox' || type === 'radio') {
        const isOn = values.includes(attribute(tag, 'value') ?? 'on');
        return tag.replace(/ checked(?=[ >])/, '').replace(/>$/, isOn ? ' checked>' : '>');
      }
      const [value = ''] = values;
      const empty = tag.replace(/ value="[^"]*"/, '');
      return value === '' ? empty : `${empty.slice(0, -1)} value="${escaped(value)}">`;
    })
    .replace(/(<select\b[^>]*>)([^]*?)<\/select>/g, (_, open: string, options: string) => {
      const [value] = valuesOf(entered, attribute(open, 'name'));
      if (value === undefined) return `${open}${options}</select>`;
      const chosen = options
        .replaceAll(/ selected(?=[ >])/g, '')
        .replace(`value="${escaped(value)}"`, (text) => `${text} selected`);
      return `${open}${chosen}</select>`;
    })
    .replace(/(<textarea\b[^>]*>)[^]*?<\/textarea>/g, (_, open: string) => {
      const [value = ''] = valuesOf(entered, attribute(open, 'name'));
      return `${open}${escaped(value)}</textarea>`;
    });
}

function valuesOf(entered: Entered, name: string | undefined): string[] {
  const value = name === undefined ? undefined : entered[name];
  return [value].flat().filter((one) => typeof one === 'string');
}

interface Field {
  readonly name: string;
  readonly id: string;
}

interface Fault extends Field {
  readonly words: string;
}

/** The fields that a message names, each with its first sentence, by their labels. */
function faultsIn(form: string, message: string): Fault[] {
  const fields = fieldsOf(form);
  const starts = fields.map(({ name }) => name).join('|');
  const faults = new Map<string, Fault>();
  for (const part of starts === '' ? [] : message.split(new RegExp(`; (?=(?:${starts}) )`))) {
    const field = fieldOf(fields, part);
    if (field && !faults.has(field.id))
      faults.set(field.id, { ...field, words: labelled(form, fields, part) });
  }
  return [...faults.values()];
}

function fieldsOf(form: string): Field[] {
  return [...form.matchAll(/<(?:input|select|textarea)\b[^>]*>/g)].flatMap(([tag]) => {
    const [name, id] = [attribute(tag, 'name'), attribute(tag, 'id')];
    return name === undefined || id === undefined ? [] : [{ name, id }];
  });
}

/** The field that a message begins with, or else speaks of. */
function fieldOf(fields: readonly Field[], message: string): Field | undefined {
  const words: readonly string[] = message.toLowerCase().match(/[a-z_]+/g) ?? [];
  const [first] = words;
  const speaks = ({ name }: Field) => words.includes(name) || words.includes(name.split('_').at(-1) ?? name);
  return fields.find(({ name }) => name === first) ?? fields.find(speaks);
}

/** A name is a word as well, such as `text`, but at the beginning, or where it has an underscore. */
function labelled(form: string, fields: readonly Field[], message: string): string {
  const words = fields.reduce((text, { name, id }) => {
    const isName = name.includes('_') ? new RegExp(`\\b${name}\\b`, 'g') : new RegExp(`^${name}(?= )`);
    return text.replace(isName, () => labelOf(form, id) ?? name);
  }, message);
  return messageInWords(words);
}

function labelOf(form: string, id: string): string | undefined {
  return new RegExp(`<label for="${id}">([^<]+)`).exec(form)?.[1]?.trim();
}

function marking(form: string, { id, words }: Fault, place: number): string {
  const error = `<p class="err" id="${id}-error">${escaped(words)}</p>`;
  const tag = new RegExp(`<(?:input|select|textarea)\\b[^>]* id="${id}"[^>]*>`).exec(form);
  if (!tag) return form;
  const described = attribute(tag[0], 'aria-describedby');
  const marked = tag[0]
    .replace(/ aria-describedby="[^"]*"/, '')
    .replace(
      />$/,
      ` aria-invalid="true" aria-describedby="${id}-error${described ? ` ${described}` : ''}"${place === 0 ? ' autofocus' : ''}>`,
    );
  // The message stands before its field, which may be a select with its options.
  const before = opened(form.slice(0, tag.index));
  return `${before}${error}${marked}${form.slice(tag.index + tag[0].length)}`;
}

/** Opens the details that are not closed before the end of this text: a marked field is in sight. */
function opened(html: string): string {
  const places: number[] = [];
  for (const { 0: tag, index } of html.matchAll(/<details\b|<\/details>/g))
    if (tag === '</details>') places.pop();
    else places.push(index + '<details'.length);
  return places.reduceRight((text, place) => `${text.slice(0, place)} open${text.slice(place)}`, html);
}
