import { RequestMethod, type Type } from '@nestjs/common';
import { GUARDS_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { ProofGuard } from '../../src/web/profile/form-pages.js';
import { makeAuthenticator } from '../support/authenticator.js';
import { OAuthApp } from '../support/oauth-app.js';
import { WITH_WEBHOOKS } from '../support/accounts.js';
import { WITH_ORDERS } from '../support/orders.js';
import { codeOf, nextCodeOf } from '../support/authenticator-app.js';
import {
  accountsAppOfFile,
  fieldOf,
  PASSWORD,
  signedInVisitor,
  type Visitor,
  visitorOf,
} from '../support/visitor.js';

const BASE_URL = 'http://localhost:8080';
const test = accountsAppOfFile({ BASE_URL });
const ID = '6c84fb90-12c4-11e1-840d-7b25c5ee775a';

/** The session proved its account holder so long ago. */
const age = async ({ email }: Visitor, interval: string) => {
  await test.database.query(
    `UPDATE account_session SET proven_at = now() - $2::interval
      WHERE account_id = (SELECT id FROM account WHERE email = $1)`,
    [email, interval],
  );
};

const DEEDS: readonly [string, string, Record<string, string>][] = [
  ['setting up a second factor', '/profile/second-factor', { password: PASSWORD }],
  ['switching it on', '/profile/second-factor/confirm', { code: '123456' }],
  ['removing it', '/profile/second-factor/remove', { password: PASSWORD, code: '123456' }],
  ['being asked for a passkey', '/profile/security/passkeys/options', { password: PASSWORD }],
  ['adding a passkey', '/profile/security/passkeys', { name: 'Phone', response: '{}' }],
  ['removing a passkey', `/profile/security/passkeys/${ID}/remove`, { password: PASSWORD }],
  ['a new password', '/profile/password', { current_password: PASSWORD, new_password: 'another good horse' }],
  ['making a key', '/profile/api-keys', { submission: ID, name: 'x', kind: 'live', scopes: 'read' }],
  ['replacing a key', `/profile/api-keys/${ID}/rotate`, { submission: ID }],
  ['revoking a key', `/profile/api-keys/${ID}/revoke`, {}],
  ['allowing an app', '/connect', { request: 'client_id=x', decision: 'allow' }],
  ['disconnecting an app', '/profile/apps/x/disconnect', {}],
  ['removing the account', '/profile/delete', { password: PASSWORD }],
];

/** Forms of an account that ask for no recent proof. */
const WITHOUT_PROOF: readonly string[] = [
  // They take access away, or change a name only.
  ...[
    'api-keys/:id/rename',
    'sessions/:id/end',
    'sessions/end-others',
    'mandates/:id/end',
    'orders/:id/cancel',
  ],
  // A proof of its own: of this order, and of nothing else.
  ...['orders/:id/approve', 'orders/:id/approve/options'],
  // Where messages of the account go. Their secret signs what is sent, and opens nothing here.
  ...['', '/:id/delete', '/:id/deliveries/:delivery/redeliver', '/:id/pause', '/:id/prove'].map(ofWebhooks),
  ...['/:id/replay', '/:id/resume', '/:id/rotate', '/:id/test'].map(ofWebhooks),
].map((path) => `profile/${path}`);

function ofWebhooks(path: string): string {
  return `webhooks${path}`;
}

describe('with every page of an account', () => {
  const all = accountsAppOfFile({ ...WITH_ORDERS, ...WITH_WEBHOOKS });

  it('a proof is asked for by each form, but for those that are listed', () => {
    const controllers = [...all.app.get(ModulesContainer).values()].flatMap((module) => [
      ...module.controllers.values(),
    ]);
    const forms = controllers.flatMap(({ metatype }) => formsOf(metatype as Type));
    const ofAccounts = forms.filter(({ path }) => /^(?:profile|connect)(?:\/|$)/.test(path));
    const unproven = ofAccounts.filter(({ guards }) => !guards.includes(ProofGuard)).map(({ path }) => path);
    expect(unproven.toSorted()).toEqual(WITHOUT_PROOF.toSorted());
  });
});

function formsOf(controller: Type) {
  const prototype = controller.prototype as Record<string, object>;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler = name === 'constructor' ? undefined : prototype[name];
    if (!handler || Reflect.getMetadata(METHOD_METADATA, handler) !== RequestMethod.POST) return [];
    const guards = [controller, handler].flatMap(
      (one) => (Reflect.getMetadata(GUARDS_METADATA, one) ?? []) as Type[],
    );
    return [{ path: String(Reflect.getMetadata(PATH_METADATA, handler)), guards }];
  });
}

describe('with a session that proved its account holder 11 minutes ago', () => {
  it.each(DEEDS)('%s asks for a proof first', async (_, path, form) => {
    const visitor = await signedInVisitor(test);
    await age(visitor, '9 minutes');
    expect((await visitor.send(path, form)).headers.location).not.toBe('/sign-in/confirm');
    // The deed may have ended or replaced the session.
    const other = await signedInVisitor(test);
    await age(other, '11 minutes');
    await other.send(path, form).expect(303).expect('Location', '/sign-in/confirm');
    await other.open('/profile').expect(200);
  });

  it('the password is a proof, after which the visitor is back where they were', async () => {
    const visitor = await signedInVisitor(test);
    await age(visitor, '11 minutes');
    const { headers } = await visitor.send(`/profile/api-keys/${ID}/revoke`, {}).expect(303);
    expect(headers.location).toBe('/sign-in/confirm');
    const page = await visitor.open('/sign-in/confirm').expect(200);
    expect(page.text).toContain('Confirm that it is you');
    await visitor.send('/sign-in/confirm', { password: 'not the password' }).expect(401);
    await visitor.send(`/profile/api-keys/${ID}/revoke`, {}).expect(303);
    await visitor
      .send('/sign-in/confirm', { password: PASSWORD })
      .expect(303)
      .expect('Location', '/profile/api-keys');
    await visitor.send(`/profile/api-keys/${ID}/revoke`, {}).expect(404);
  });

  it('an app is allowed after the proof, on the page that the visitor saw', async () => {
    const visitor = await signedInVisitor(test);
    const app = new OAuthApp(test.url, BASE_URL);
    await app.proceed();
    const { pathname, search } = app.authorizationUrl ?? new URL(BASE_URL);
    await age(visitor, '11 minutes');
    const consent = String((await visitor.open(pathname + search).expect(303)).headers.location);
    await visitor.open(consent).expect(303).expect('Location', '/sign-in/confirm');
    const { headers } = await visitor.send('/sign-in/confirm', { password: PASSWORD }).expect(303);
    expect(headers.location).toBe(consent);
    await visitor.open(consent).expect(200);
  });

  it('an app is allowed after a proof by passkey, which begins no other session', async () => {
    const visitor = await signedInVisitor(test);
    const at = { origin: BASE_URL };
    const passkey = makeAuthenticator();
    const asked = await visitor
      .send('/profile/security/passkeys/options', { password: PASSWORD })
      .expect(200);
    await visitor
      .send('/profile/security/passkeys', { name: 'Phone', response: passkey.make(asked.body, at) })
      .expect(303);
    const app = new OAuthApp(test.url, BASE_URL);
    await app.proceed();
    const { pathname, search } = app.authorizationUrl ?? new URL(BASE_URL);
    await age(visitor, '11 minutes');
    const consent = String((await visitor.open(pathname + search).expect(303)).headers.location);
    await visitor.open(consent).expect(303).expect('Location', '/sign-in/confirm');
    const { body } = await visitor.send('/sign-in/passkey/options', {}).expect(200);
    const response = passkey.prove(body, at);
    const { headers } = await visitor.send('/sign-in/passkey', { response }).expect(303);
    expect(headers.location).toBe(consent);
    const page = await visitor.open(consent).expect(200);
    const request = fieldOf(page.text, 'request').replaceAll('&amp;', '&');
    const decided = await visitor.send('/connect', { request, decision: 'allow' }).expect(303);
    expect(new URL(String(decided.headers.location)).searchParams.get('code')).not.toBeNull();
    const sessions = await test.database.query(
      'SELECT FROM account_session JOIN account ON account.id = account_id WHERE email = $1',
      [visitor.email],
    );
    expect(sessions).toHaveLength(1);
  });

  it('with a second factor the password alone is none', async () => {
    const visitor = await signedInVisitor(test);
    const { text } = await visitor.send('/profile/second-factor', { password: PASSWORD }).expect(201);
    const key = /secret=([A-Z2-7]+)/.exec(text)?.[1] ?? '';
    const used = codeOf(key);
    await visitor.send('/profile/second-factor/confirm', { code: used }).expect(303);
    await age(visitor, '11 minutes');
    const remove = () => visitor.send('/profile/delete', { password: PASSWORD });
    await remove().expect(303).expect('Location', '/sign-in/confirm');
    await visitor.send('/sign-in/confirm', { password: PASSWORD }).expect(401);
    await visitor.send('/sign-in/confirm', { password: PASSWORD, code: used }).expect(401);
    await remove().expect('Location', '/sign-in/confirm');
    await visitor.send('/sign-in/confirm', { password: PASSWORD, code: nextCodeOf(key) }).expect(303);
    await remove().expect(303).expect('Location', '/sign-in?done=deleted');
  });

  it('a session from before this rule has proved nothing', async () => {
    const visitor = await signedInVisitor(test);
    await test.database.query('UPDATE account_session SET proven_at = NULL');
    await visitor.send('/profile/delete', { password: PASSWORD }).expect('Location', '/sign-in/confirm');
    await visitorOf(test).open('/sign-in/confirm').expect(303).expect('Location', '/sign-in');
  });
});
