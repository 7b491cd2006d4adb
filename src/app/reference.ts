import type { OpenAPIObject } from '@nestjs/swagger';
import { API_PREFIXES, type ApiPrefix, documentPath } from '../config/product.js';
import { isObject } from '../validation/unknown-values.js';
import { MARK } from '../web/layout/layout.js';
import { template } from '../web/layout/templates.js';
import { mapOperations } from './operations.js';

const page = template('reference');

/**
 * The page around Swagger UI, instead of the one of its package: with our mark, a way back, and links to the
 * documents for browsers without scripts. Scripts and styles are the package's.
 */
export function referencePage(prefix: ApiPrefix): string {
  const others = API_PREFIXES.filter((one) => one !== prefix);
  return page({ prefix, others, documentPath: documentPath(prefix), mark: MARK });
}

/** A part of Swagger UI, which React draws. */
type Component = (props: Readonly<Record<string, unknown>>) => unknown;

/** What Swagger UI hands to a plug-in. */
interface System {
  readonly React: {
    createElement(type: Component | string, props: object | null, ...children: unknown[]): unknown;
  };
}

/** Makes a part of Swagger UI of the one that it has itself. */
type Wrapping = (original: Component, system: System) => Component;

interface Plugin {
  readonly wrapComponents: Readonly<Record<string, Wrapping>>;
}

/**
 * How Swagger UI is set up: a key that was typed in is kept in the browser, and the bar with its logo gives way
 * to ours. Functions go to the browser as their text, so they hold nothing from outside.
 */
export const UI_OPTIONS = {
  persistAuthorization: true,
  layout: 'BaseLayout',
  plugins: [
    // The page is sent the text of this function, so it stands for itself: functions in a list have no names, which
    // a bundler would keep by a helper of its own.
    (): Plugin => ({
      wrapComponents: Object.fromEntries<Wrapping>([
        // Content outside of any landmark, and a heading that skips a level.
        [
          'InfoContainer',
          (original, { React }) =>
            (props) =>
              React.createElement(
                'section',
                { 'aria-label': 'About' },
                React.createElement(original, props),
                React.createElement('h2', { className: 'bower-unseen' }, 'Operations'),
              ),
        ],
        [
          'SchemesContainer',
          (original, { React }) =>
            (props) =>
              React.createElement('section', { 'aria-label': 'Key' }, React.createElement(original, props)),
        ],
        [
          'ServersContainer',
          (original, { React }) =>
            (props) =>
              React.createElement(
                'section',
                { 'aria-label': 'Server' },
                React.createElement(original, props),
              ),
        ],
        // A link inside of a button, which leads where the button does.
        [
          'DeepLink',
          (_, { React }) =>
            ({ text }) =>
              React.createElement('span', null, text),
        ],
      ]),
    }),
  ],
};

/** Optional parameters that are filled in, because there is nothing to see without them. */
const FILLED_IN = ['q'];

/**
 * The document for Swagger UI, which fills in every example and every default: together they would narrow each
 * request. Defaults move into the descriptions.
 */
export function forTrying(document: OpenAPIObject): OpenAPIObject {
  return mapOperations(document, ({ parameters = [], ...operation }) => ({
    ...operation,
    parameters: parameters.map((parameter) =>
      '$ref' in parameter || parameter.required || FILLED_IN.includes(parameter.name)
        ? parameter
        : { ...parameter, ...leftEmpty(parameter) },
    ),
  }));
}

function leftEmpty({ schema, description = '' }: { schema?: object; description?: string }): object {
  if (!isObject(schema)) return {};
  const { default: value } = schema;
  const words = value === undefined ? '' : ` Left out: \`${JSON.stringify(value)}\`.`;
  const rest = Object.entries(schema).filter(([name]) => name !== 'example' && name !== 'default');
  return { schema: Object.fromEntries(rest), description: description + words };
}
