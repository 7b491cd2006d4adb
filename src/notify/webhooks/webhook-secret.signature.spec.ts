import { createHmac } from 'node:crypto';
import { Webhook as Receiver } from 'standardwebhooks';
import { makeSecret, signatureHeaders } from './webhook-message.js';

const BODY = '{"type":"webhook.test"}';

describe('signatureHeaders', () => {
  // As the specification has it, and not as the library of both sides does.
  it('signs id, second and body by HMAC-SHA256 with the bytes of the secret', () => {
    const sentAt = new Date('2026-11-20T12:00:00.999Z');
    const key = Buffer.alloc(32, 7);
    const signature = createHmac('sha256', key).update(`msg_1.1795176000.${BODY}`).digest('base64');
    expect(signatureHeaders('msg_1', sentAt, BODY, [`whsec_${key.toString('base64')}`])).toEqual({
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1795176000',
      'webhook-signature': `v1,${signature}`,
    });
  });

  it('is known by the newest secret and by those before it, and by no other', () => {
    const [newest, earlier, other] = [makeSecret(), makeSecret(), makeSecret()];
    const headers = signatureHeaders('msg_1', new Date(), BODY, [newest, earlier]);
    for (const secret of [newest, earlier])
      expect(new Receiver(secret).verify(BODY, headers)).toEqual({ type: 'webhook.test' });
    expect(() => new Receiver(other).verify(BODY, headers)).toThrow('No matching signature');
    expect(() => new Receiver(newest).verify(`${BODY} `, headers)).toThrow('No matching signature');
  });
});
