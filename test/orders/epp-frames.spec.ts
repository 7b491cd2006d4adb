import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attemptOn } from '../support/registrar-harness.js';
import {
  AU_EXTENSIONS,
  createDomainFrame,
  loginFrame,
  NAMESPACES,
} from '../../src/orders/registrar/epp/frames.js';
import { redactFrame } from '../../src/orders/registrar/epp/redact.js';
import { readXml } from '../../src/orders/registrar/epp/xml.js';

interface Recorded {
  readonly namespace: string;
  readonly create: readonly [string, string];
  readonly properties: Readonly<Record<string, readonly string[]>>;
  readonly required: readonly string[];
}

// Of version 1.3 no schema is public.
const recorded = JSON.parse(readFileSync(join(__dirname, 'recorded/auext-1.3.json'), 'utf8')) as Recorded;
const frame = createDomainFrame(attemptOn('shaped.com.au'), '1.3');

it('a registration of extension 1.3 has the recorded shape', () => {
  const create = readXml(frame)?.at('command', 'extension', recorded.create[0]);
  const properties = create?.at(recorded.create[1])?.children ?? [];
  expect(create?.namespace).toBe(recorded.namespace);
  for (const { name, namespace, attributes } of properties) {
    expect(namespace).toBe(recorded.namespace);
    expect([name, Object.keys(attributes)]).toEqual([name, recorded.properties[name]]);
  }
  expect(properties.map(({ name }) => name)).toEqual(expect.arrayContaining([...recorded.required]));
});

it('a session of extension 1.3 asks for it, and frames differ from those of 1.2 in nothing else', () => {
  const login = loginFrame({ client: 'BB', password: 'p' }, [NAMESPACES.domain], '1.3', 'BB-1');
  expect(readXml(login)?.textAt('command', 'login', 'svcs', 'svcExtension', 'extURI')).toBe(
    recorded.namespace,
  );
  const attempt = attemptOn('shaped.com.au');
  expect(createDomainFrame(attempt, '1.3').replace(AU_EXTENSIONS['1.3'], AU_EXTENSIONS['1.2'])).toBe(
    createDomainFrame(attempt, '1.2'),
  );
});

it('evidence of a refused contact has no detail of a person that the server sends back', () => {
  const value = (field: string) => `<value xmlns:c="c"><c:${field}>Ann of Hobart</c:${field}></value>`;
  const refused = `<result code="2005"><msg>Wrong</msg>${value('name')}${value('city')}<extValue>${value('org')}
    <reason>Too long</reason></extValue></result><trID><clTRID>BB-1</clTRID></trID>`;
  const kept = redactFrame(refused);
  expect(kept).not.toContain('Hobart');
  for (const part of ['code="2005"', 'Wrong', 'Too long', 'BB-1']) expect(kept).toContain(part);
});
