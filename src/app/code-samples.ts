import type { OpenAPIObject } from '@nestjs/swagger';
import { isObject } from '../validation/unknown-values.js';
import type { Operation } from './operations.js';

interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** An example request: required parameters, and those with an example. */
interface Sample {
  readonly method: string;
  readonly url: string;
  readonly body: object | null;
  readonly needsKey: boolean;
}

/** Most parameters of a sample that may be left out: it is to be read. */
const MAX_OPTIONAL = 2;

/** The same request in three languages, as the extension `x-codeSamples` has them, which documentation tools show. */
export function codeSamples(
  { servers, components }: OpenAPIObject,
  path: string,
  method: string,
  operation: Operation,
): CodeSample[] {
  const baseUrl = servers?.[0]?.url ?? '';
  const sample: Sample = {
    method: method.toUpperCase(),
    url: baseUrl + addressOf(path, operation),
    body: bodyOf(operation, components?.schemas ?? {}),
    needsKey: operation.security?.every((scheme) => Object.keys(scheme).length > 0) ?? false,
  };
  return [
    { lang: 'Shell', label: 'curl', source: inCurl(sample) },
    { lang: 'JavaScript', label: 'JavaScript', source: inJavaScript(sample) },
    { lang: 'Python', label: 'Python', source: inPython(sample) },
  ];
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  example?: unknown;
  schema?: { example?: unknown };
}

function addressOf(path: string, { parameters = [] }: Operation): string {
  const known = (parameters as Parameter[]).map((one) => ({
    ...one,
    text: textOf(one.example ?? one.schema?.example),
  }));
  const address = known
    .filter((one) => one.in === 'path')
    .reduce((text, { name, text: value }) => text.replace(`{${name}}`, encodeURIComponent(value)), path);
  const query = known.filter((one) => one.in === 'query' && one.text !== '');
  const optional = query.filter(({ required }) => !required).slice(0, MAX_OPTIONAL);
  const shown = query.filter((one) => one.required || optional.includes(one));
  return shown.length === 0
    ? address
    : `${address}?${shown.map(({ name, text }) => `${name}=${encodeURIComponent(text)}`).join('&')}`;
}

function textOf(example: unknown): string {
  if (Array.isArray(example)) return example.join(',');
  return ['string', 'number', 'boolean'].includes(typeof example) ? String(example) : '';
}

/** What the examples of the body's required fields say, or those of its first ones where it requires none. */
function bodyOf({ requestBody }: Operation, schemas: object): object | null {
  const [, name = ''] = /"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(requestBody ?? {})) ?? [];
  const shape: unknown = new Map(Object.entries(schemas)).get(name);
  if (!isObject(shape) || !isObject(shape.properties)) return null;
  const required: unknown[] = Array.isArray(shape.required) ? shape.required : [];
  const fields = Object.entries(shape.properties).flatMap(([field, property]) =>
    isObject(property) && property.example !== undefined && property.example !== null
      ? [[field, property.example] as const]
      : [],
  );
  const optional = fields.filter(([field]) => !required.includes(field)).slice(0, 1);
  return Object.fromEntries([...fields.filter(([field]) => required.includes(field)), ...optional]);
}

function inCurl({ method, url, body, needsKey }: Sample): string {
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${url}'`,
    ...(needsKey ? [`  -H "Authorization: Bearer $BOWERBIRD_KEY"`] : []),
    ...(body ? [`  -H 'Content-Type: application/json'`, `  -d '${JSON.stringify(body)}'`] : []),
  ].join(' \\\n');
}

function inJavaScript({ method, url, body, needsKey }: Sample): string {
  const headers = [
    ...(needsKey ? ['Authorization: `Bearer ${process.env.BOWERBIRD_KEY}`'] : []),
    ...(body ? [`'Content-Type': 'application/json'`] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(body ? [`  body: JSON.stringify(${JSON.stringify(body)}),`] : []),
  ];
  const call = options.length === 0 ? `'${url}'` : `'${url}', {\n${options.join('\n')}\n}`;
  const read = method === 'DELETE' ? 'response.status' : 'await response.text()';
  return `const response = await fetch(${call});\nconsole.log(${read});`;
}

function inPython({ method, url, body, needsKey }: Sample): string {
  const headers = [
    ...(needsKey ? [`"Authorization": "Bearer " + os.environ["BOWERBIRD_KEY"]`] : []),
    ...(body ? [`"Content-Type": "application/json"`] : []),
  ];
  const parts = [
    `"${url}"`,
    ...(method === 'GET' ? [] : [`method="${method}"`]),
    ...(headers.length > 0 ? [`headers={${headers.join(', ')}}`] : []),
    ...(body ? [`data=json.dumps(${pythonOf(body)}).encode()`] : []),
  ];
  const modules = [...(body ? ['json'] : []), ...(needsKey ? ['os'] : []), 'urllib.request'];
  const read = method === 'DELETE' ? 'response.status' : 'response.read().decode()';
  return [
    `import ${modules.join(', ')}`,
    '',
    `request = urllib.request.Request(${parts.join(', ')})`,
    'with urllib.request.urlopen(request) as response:',
    `    print(${read})`,
  ].join('\n');
}

function pythonOf(body: object): string {
  return JSON.stringify(body)
    .replace(/:true\b/g, ':True')
    .replace(/:false\b/g, ':False');
}
