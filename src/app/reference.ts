import type { OpenAPIObject } from '@nestjs/swagger';
import { API_PREFIXES, type ApiPrefix, documentPath } from '../config/product.js';
import { isObject } from '../validation/unknown-values.js';
import { MARK } from '../web/layout/layout.js';
import { mapOperations } from './operations.js';

/**
 * The page around Swagger UI, instead of the one of its package: with our mark, a way back, and links to the
 * documents for browsers without scripts. Scripts and styles are the package's.
 */
export function referencePage(prefix: ApiPrefix): string {
  const others = API_PREFIXES.filter((one) => one !== prefix);
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Reference of /${prefix} · Bowerbird</title>
  <link rel="icon" href="/assets/mark.svg" type="image/svg+xml">
  <link rel="stylesheet" href="/${prefix}/docs/swagger-ui.css">
  <link rel="stylesheet" href="/assets/reference.css">
</head>
<body>
  <header class="bower"><a class="brand" href="/">${MARK}Bowerbird</a><nav aria-label="Main">
    <a href="/docs">Documents</a>
    ${others.map((one) => `<a href="/${one}/docs">Reference of /${one}</a>`).join('')}
    <a href="${documentPath(prefix)}">OpenAPI</a>
  </nav></header>
  <noscript><main><div class="bower-note"><h1>The reference is drawn by a script</h1>
    <p>Your browser runs none here. All that it shows stands in the document:
    <a href="${documentPath(prefix)}">as JSON</a> or <a href="/${prefix}/openapi.yaml">as YAML</a>;
    in words, with samples, <a href="/docs">here</a>.</p>
  </div></main></noscript>
  <div id="swagger-ui"></div>
  <script src="/assets/reference.js"></script>
  <script src="/${prefix}/docs/swagger-ui-bundle.js"></script>
  <script src="/${prefix}/docs/swagger-ui-standalone-preset.js"></script>
  <script src="/${prefix}/docs/swagger-ui-init.js"></script>
</body>
</html>
`;
}

/** Its dark colours hang on a class, which the bar that we leave out would set. */
export const REFERENCE_SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
`;

const METHODS = { get: '#2c3fb1', post: '#0f6b3a', delete: '#8c2f1f', patch: '#7a5200' };
const METHOD_COLOURS = Object.entries(METHODS)
  .map(
    ([method, colour]) =>
      `.swagger-ui .opblock.opblock-${method} .opblock-summary-method` +
      `{background:${colour};color:#fff;text-shadow:none}`,
  )
  .join('\n');

/**
 * Its own colours have too little contrast. The one server is where the page is; the list of one has no name
 * that programs could read out.
 */
export const REFERENCE_STYLESHEET = `:root{color-scheme:light dark}
*,::before,::after{box-sizing:border-box}body{margin:0;background:light-dark(#fdfcf8,#10121d);
  font:1rem/1.5 system-ui,sans-serif}
.bower{display:flex;flex-wrap:wrap;gap:.4rem 1.6rem;align-items:center;max-width:1460px;margin:auto;
  padding:.8rem 20px;border-bottom:1px solid light-dark(#e0dccd,#2b3047)}
.bower a{color:light-dark(#161a2e,#eef0fa);text-decoration:none}
.bower nav{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem}
.bower nav a:hover{text-decoration:underline}
.bower .brand{display:flex;gap:.55rem;align-items:center;font-weight:750;font-size:1.15rem;margin-right:auto}
.mark{width:1.7rem;height:1.7rem}
.find{fill:light-dark(#2c3fb1,#98a8ff)}
.bower-note{max-width:44rem;margin:2rem auto;padding:0 20px;color:light-dark(#161a2e,#eef0fa)}
.bower-note a{color:light-dark(#2c3fb1,#98a8ff)}
.bower-unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.swagger-ui .scheme-container .schemes-server-container{display:none!important}
.swagger-ui .scheme-container{padding:1rem 0;box-shadow:none;background:transparent}
#swagger-ui{overflow-x:auto}.swagger-ui .info{margin:1.5rem 0}
${METHOD_COLOURS}
html:not(.dark-mode) .swagger-ui :is(.info .title small,.info .title small pre){background:#565b72}
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp,
  html:not(.dark-mode) .swagger-ui .info .title small.version-stamp pre{background:#0f6b3a}
html:not(.dark-mode) .swagger-ui :is(a,.info a,.link){color:#2c3fb1}
html:not(.dark-mode) .swagger-ui :is(.json-schema-2020-12-expand-deep-button,
  .json-schema-2020-12__attribute--primary,.json-schema-2020-12__attribute--muted){color:#3b4151}
html:not(.dark-mode) .swagger-ui .btn.authorize{color:#0f6b3a;border-color:#0f6b3a}
html:not(.dark-mode) .swagger-ui .btn.authorize svg{fill:#0f6b3a}
`;

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
