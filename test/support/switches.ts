import type { Setting } from '../../src/config/setting.js';
import { SETTINGS } from '../../src/config/settings.js';
import { ORDER_SECRET_KEY, WITH_WEBHOOKS } from './accounts.js';

/** What can be one way or another: each has a state of its own in a row. */
export type Factor = readonly [name: string, states: readonly string[]];

/** They say where, and not whether. */
const NO_SWITCHES = ['TRUST_PROXY', 'REGISTRY_AVAILABILITY_SERVICE'];
const settings: [string, Setting][] = Object.entries(SETTINGS);

/** A switch that is added is one of them. */
export const SWITCHES = settings.flatMap(([name, setting]): Factor[] => {
  if (NO_SWITCHES.includes(name)) return [];
  if (setting.type === 'switch') return [[name, ['on', 'off']]];
  return setting.type === 'choice' && setting.of.includes('observe')
    ? [[name, ['on', 'off', 'observe']]]
    : [];
});

/** Every switch is on, with the keys that they need. Exports also need a folder. */
export const WITH_EVERYTHING: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SWITCHES.map(([name]) => [name, 'on'])),
  ...WITH_WEBHOOKS,
  ORDER_SECRET_KEY,
};
