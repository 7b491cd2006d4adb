import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startSandboxRegistrar } from '../../src/demo/sandbox-registrar.js';
import { EppConnection, isLost } from '../../src/orders/registrar/epp/connection.js';
import * as frames from '../../src/orders/registrar/epp/frames.js';
import { newAttempt } from '../../src/orders/registrar/port.js';

const run = promisify(execFile);
/** The schemas are data of others, which the repository has no copy of. */
const SCHEMAS = process.env.EPP_SCHEMAS ?? resolve(__dirname, '../../../shared/registration/xsd');
const LIMIT_MS = 60_000;
const { NAMESPACES } = frames;

const attempt = newAttempt(
  {
    ...{
      id: 'an attempt',
      order: 'an order',
      registrar: 'sandbox',
      name: 'acme.com.au',
      years: 2,
      policyReason: 1,
    },
    registrant: {
      legalName: 'Smith & Sons <Pty> Ltd',
      ...{ idType: 'ACN', id: '004085616', eligibilityType: 'Company' },
      contact: {
        ...{ name: 'Ann Smith', email: 'ann@example.com', phone: '+61.299990000' },
        ...{ street: ['Level 1', '1 George St'], city: 'Sydney', state: 'NSW', postcode: '2000' },
      },
    },
  },
  new Date(),
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowerbird-epp-'));
});
afterAll(() => rm(folder, { recursive: true }));

(existsSync(SCHEMAS) ? it : it.skip)(
  'every frame of ours, and every reply of the sandbox, is valid',
  async () => {
    const sandbox = await startSandboxRegistrar({ port: 0 });
    const objects = [NAMESPACES.domain, NAMESPACES.contact];
    const { name, password, contactId, registrant } = attempt;
    const sent = [
      frames.helloFrame(),
      frames.loginFrame(sandbox, objects, '1.2', 'BB-1'),
      frames.checkDomainFrame(name, 'BB-2'),
      frames.domainInfoFrame(name, password, 'BB-3'),
      frames.createContactFrame(attempt, registrant, 'BB-4'),
      frames.createContactFrame(attempt, registrant, 'BB-5'),
      frames.contactInfoFrame(contactId, 'BB-6'),
      frames.createDomainFrame(attempt, '1.2'),
      frames.createDomainFrame(attempt, '1.2'),
      frames.domainInfoFrame(name, null, 'BB-7'),
      ...['ns1.example.net', 'ns2.example.net', 'ns3.example.net'].map((host) =>
        frames.createHostFrame(host, `BB-${host}`),
      ),
      frames.delegateFrame(name, { add: ['ns1.example.net', 'ns2.example.net'], remove: [] }, 'BB-21'),
      frames.domainInfoFrame(name, password, 'BB-22'),
      frames.delegateFrame(name, { add: ['ns3.example.net'], remove: ['ns1.example.net'] }, 'BB-23'),
      frames.renewDomainFrame({ id: 'BB-8', name, years: 1, expiresAt: new Date() }),
      frames.pollFrame('BB-9'),
      frames.deleteDomainFrame(name, 'BB-10'),
      frames.pollFrame('BB-11'),
      frames.acknowledgeFrame('1', 'BB-12'),
      frames.logoutFrame('BB-13'),
    ];
    const opened = await EppConnection.open(sandbox, LIMIT_MS);
    if (isLost(opened)) throw new Error(opened.detail);
    const replies = [opened.greeting];
    for (const [index, frame] of sent.entries()) {
      if (index === 8) sandbox.fail('create', 'pending');
      if (index === 11) sandbox.decide(name, 'done');
      const reply = await opened.connection.exchange(frame, LIMIT_MS);
      if (isLost(reply)) throw new Error(`${frame}: ${reply.detail}`);
      replies.push(reply);
    }
    await sandbox.close();
    const files = [...sent, ...replies].map((frame, index) => [join(folder, `${index}.xml`), frame] as const);
    for (const [file, frame] of files) await writeFile(file, frame);
    const names = files.map(([file]) => file);
    await run('xmllint', ['--noout', '--schema', join(SCHEMAS, 'all.xsd'), ...names]);
    expect(names.length).toBeGreaterThan(30);
  },
);

it('Net::EPP, an independent client, registers at the sandbox', async () => {
  const sandbox = await startSandboxRegistrar({ port: 0 });
  const texts = { cert: sandbox.certificate, key: sandbox.key, ca: sandbox.ca };
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  const create = join(folder, 'create.xml');
  await writeFile(create, frames.createDomainFrame(attempt, '1.2'));
  const { stdout } = await run('perl', [
    ...[join(__dirname, 'net-epp.pl'), String(sandbox.port), folder],
    ...[sandbox.client, sandbox.password, attempt.contactId, attempt.name],
  ]);
  expect(stdout.trim().split('\n')).toEqual([
    ...['greeting Sandbox registry', 'login 1000', 'check 1', 'contact 1000', 'create 1000', 'again 2302'],
    ...[`info SANDBOX ${attempt.contactId}`, 'logout 1500'],
  ]);
  expect(sandbox.names.get(attempt.name)?.registrantName).toBe('Smith & Sons <Pty> Ltd');
  await sandbox.close();
});
