import type { INestApplicationContext } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpDrain } from './drain.js';
import { HealthService } from '../api/health/health.service.js';

/**
 * Tells balancers that the service is about to stop, and serves on until they have had the time to see it: whoever is sent here
 * meanwhile is answered as ever. What is closed at once refuses those who do not know yet.
 *
 * @param hurry ends the wait
 */
export async function giveNotice(
  app: INestApplicationContext,
  noticeMs: number,
  hurry?: AbortSignal,
): Promise<void> {
  app.get(HealthService).announceStop();
  app.get(HttpDrain).announceStop();
  await pause(noticeMs, undefined, { ...(hurry && { signal: hurry }) }).catch((error: unknown) => {
    if (!hurry?.aborted) throw error;
  });
}
