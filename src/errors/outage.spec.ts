import { Logger } from '@nestjs/common';
import { OutageLogger } from './outage.js';

describe('an outage', () => {
  const said: string[] = [];
  class Lines extends Logger {
    override warn(text: string): void {
      said.push(`warn ${text}`);
    }
    override log(text: string): void {
      said.push(`log ${text}`);
    }
  }
  beforeEach(() => said.splice(0));

  it('is said once with each reason, whatever the figures in it, and so is its end', () => {
    const outage = new OutageLogger(new Lines(), 'Mails wait');
    outage.end();
    for (const reason of ['late by 5 ms', 'late by 70 ms', new Error('refused'), 'late by 5 ms'])
      outage.begin(reason);
    outage.end();
    outage.end();
    outage.begin('late by 6 ms');
    expect(said).toEqual([
      'warn Mails wait: late by 5 ms',
      'warn Mails wait: Error: refused',
      'log Mails wait no longer',
      'warn Mails wait: late by 6 ms',
    ]);
  });

  it('that has ever new reasons is said five times at the most', () => {
    const outage = new OutageLogger(new Lines(), 'Mails wait');
    for (const letter of 'abcdefgh') outage.begin(letter);
    expect(said).toHaveLength(5);
  });
});
