import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Account } from '../../accounts/accounts.service.js';
import { escaped } from '../layout/templates.js';

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
 * Fills a refused form in again, except passwords, and marks and focuses the field that the message names.
 *
 * @param action address that the form was sent to
 */
export function withProblem(html: string, action: string, entered: Entered, message: string): string {
  const start = html.indexOf(`action="${escaped(action)}"`);
  const opens = html.lastIndexOf('<form', start);
  const ends = html.indexOf('</form>', start);
  if (start < 0) return withNote(html, escaped(message));
  const form = html.slice(opens, ends);
  const field = fieldOf(form, message);
  const marked = marking(refilled(form, entered), field, message);
  const before = opened(html.slice(0, opens));
  const label = field && labelOf(form, field.id);
  const link = label ? ` <a href="#${field.id}">Go to ${label}</a>` : '';
  const note = field
    ? `<b>Not saved: one field needs a fix.</b> What you typed is still here.${link}`
    : escaped(message);
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

/** The field that a message begins with, or else speaks of. */
function fieldOf(form: string, message: string): Field | null {
  const fields = [...form.matchAll(/<(?:input|select|textarea)\b[^>]*>/g)].flatMap(([tag]) => {
    const [name, id] = [attribute(tag, 'name'), attribute(tag, 'id')];
    return name === undefined || id === undefined ? [] : [{ name, id }];
  });
  const words: readonly string[] = message.toLowerCase().match(/[a-z_]+/g) ?? [];
  const [first] = words;
  const speaks = ({ name }: Field) => words.includes(name) || words.includes(name.split('_').at(-1) ?? name);
  return fields.find(({ name }) => name === first) ?? fields.find(speaks) ?? null;
}

function labelOf(form: string, id: string): string | undefined {
  return new RegExp(`<label for="${id}">([^<]+)`).exec(form)?.[1]?.trim();
}

function marking(form: string, field: Field | null, message: string): string {
  if (!field) return form;
  const { name, id } = field;
  const words = message.startsWith(`${name} `)
    ? (labelOf(form, id) ?? name) + message.slice(name.length)
    : message;
  const error = `<p class="err" id="${id}-error">${escaped(words)}</p>`;
  const tag = new RegExp(`<(?:input|select|textarea)\\b[^>]* id="${id}"[^>]*>`).exec(form);
  if (!tag) return form;
  const described = attribute(tag[0], 'aria-describedby');
  const marked = tag[0]
    .replace(/ aria-describedby="[^"]*"/, '')
    .replace(
      />$/,
      ` aria-invalid="true" aria-describedby="${id}-error${described ? ` ${described}` : ''}" autofocus>`,
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
