import { mintOperatorKey } from '../../src/ops/operator-key.js';
import { fieldOf, startAccountsApp, type AccountsApp } from '../support/visitor.js';

const KEY = mintOperatorKey();
const REASON = 'seen on the dashboard';
const SCRIPT = '<script>alert(1)</script>';

let test: AccountsApp;
beforeAll(async () => {
  test = await startAccountsApp({ OPERATOR_KEY_HASH: `alice:${KEY.hash}` });
});
afterAll(() => test.close());

const operator = (path: string) =>
  test.caller().post(`/ops/v1/${path}`).set('Authorization', `Bearer ${KEY.text}`);
const look = (path: string) =>
  test.caller().get(`/ops/v1/${path}`).set('Authorization', `Bearer ${KEY.text}`);
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

async function open(title: string, more: object = {}): Promise<string> {
  const incident = { title, words: 'Checks take up to 20 s.', reason: REASON, ...more };
  const { body, headers } = await operator('incidents').send(incident).expect(200);
  expect(headers.location).toBe(`/ops/v1/incidents/${body.id}`);
  return body.id;
}

describe('an incident', () => {
  it('is on the status page, in its JSON and in the feed, and the reason is in the audit log alone', async () => {
    const id = await open(`The registry is slow ${SCRIPT}`, { began_at: ago(30) });
    const { body } = await test.caller().get('/api/v1/status').expect(200);
    expect(body.incidents).toEqual([
      expect.objectContaining({ words: 'Checks take up to 20 s.', ended_at: null }),
    ]);
    for (const path of ['/status', '/status/incidents', '/status/incidents.atom']) {
      const { text } = await test.caller().get(path).expect(200);
      expect(text).toContain('The registry is slow');
      expect(text).not.toContain(SCRIPT);
      expect(text).not.toContain(REASON);
    }
    const [entry] = await test.database.query('SELECT action, reason FROM audit_log WHERE subject = $1', [
      `incident:${id}`,
    ]);
    expect(entry).toEqual({ action: 'incident.open', reason: REASON });
  });

  it('is changed and ended, and its feed entry is as new as its text', async () => {
    const id = await open('Late list', { began_at: ago(60) });
    await operator(`incidents/${id}/update`).send({ words: 'It came at noon.', reason: REASON }).expect(200);
    const { body } = await operator(`incidents/${id}/end`)
      .send({ ended_at: ago(10), reason: REASON })
      .expect(200);
    expect(body).toMatchObject({ title: 'Late list', words: 'It came at noon.' });
    const { text: page } = await test.caller().get('/status/incidents').expect(200);
    expect(page).toMatch(/Late list<\/b><br>.*?<span class="chip unk">Resolved/);
    const { text: feed } = await test.caller().get('/status/incidents.atom').expect(200);
    expect(feed).toContain('Resolved: Late list');
    expect(feed).toContain(`<updated>${body.updated_at}</updated>`);
  });

  it('that was none is removed', async () => {
    const id = await open('A mistake');
    await operator(`incidents/${id}/remove`).send({ reason: REASON }).expect(200);
    await look(`incidents/${id}`).expect(404);
    const { text } = await test.caller().get('/status/incidents').expect(200);
    expect(text).not.toContain('A mistake');
  });

  it.each([
    ['incidents', { title: 'x'.repeat(121), words: 'y' }, 'title'],
    ['incidents', { title: 'x' }, 'words'],
    ['incidents', { title: 'x', words: 'y', began_at: '2999-01-01T00:00:00Z' }, 'began_at'],
    ['incidents/ID/end', { ended_at: '2999-01-01T00:00:00Z' }, 'ended_at'],
    ['incidents/ID/end', { ended_at: '2001-01-01T00:00:00Z' }, 'ended_at'],
  ])('%s is refused with %j', async (path, fields, named) => {
    const id = await open('Open');
    const { body } = await operator(path.replace('ID', id))
      .send({ ...fields, reason: REASON })
      .expect(400);
    expect(body.error).toMatchObject({ code: 'invalid_parameter', message: expect.stringContaining(named) });
    await operator(`incidents/${id}/remove`).send({ reason: REASON }).expect(200);
  });

  it('is written, changed and ended at the pages, with its text in the form', async () => {
    const browser = test.caller();
    const { text: signIn } = await browser.get('/ops/sign-in').expect(200);
    const send = async (path: string, fields: object, form: string) =>
      browser
        .post(path)
        .type('form')
        .send({ form_token: fieldOf(form, 'form_token'), ...fields });
    await send('/ops/sign-in', { key: KEY.text }, signIn);
    const act = async (command: string, fields: object) => {
      const { text: form } = await browser.get(`/ops/do/${command}`).expect(200);
      return send(`/ops/do/${command}`, { back: '/ops/incidents', reason: REASON, ...fields }, form);
    };
    await act('openIncident', { title: 'By hand', words: 'Nothing is slow.' });
    const { text } = await browser.get('/ops/incidents').expect(200);
    const [, id = ''] = /By hand[^]*?do\/updateIncident\?id=([\da-f-]{36})/.exec(text) ?? [];
    const { text: form } = await browser
      .get(`/ops/do/updateIncident?id=${id}&words=Nothing+is+slow.`)
      .expect(200);
    expect(form).toMatch(/<textarea[^>]*name="words"[^>]*>Nothing is slow\./);
    const { headers } = await act('endIncident', { id, words: 'Nothing was slow.' });
    expect(headers.location).toBe('/ops/incidents?done=endIncident');
    const { body } = await look(`incidents/${id}`).expect(200);
    expect(body).toMatchObject({ words: 'Nothing was slow.', ended_at: expect.any(String) });
  });
});
