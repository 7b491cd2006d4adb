import { Injectable } from '@nestjs/common';
import { Clock } from '../db/database.js';

/** Finds work that should move and does not. @returns a sentence for the operator about each */
type Look = (now: Date) => Promise<readonly string[]>;

/** Finds what stands still in the installation. Each room adds its own look. */
@Injectable()
export class ProgressWatch {
  private readonly looks: Look[] = [];

  constructor(private readonly clock: Clock) {}

  add(look: Look): void {
    this.looks.push(look);
  }

  /** One after the other, on one connection. @throws {DatabaseUnavailable} */
  async findStalls(): Promise<string[]> {
    const now = await this.clock.now();
    const found: string[] = [];
    for (const look of this.looks) found.push(...(await look(now)));
    return found;
  }
}

/** "17 minutes", for sentences about stalls. */
export function minutesOf(seconds: number): string {
  return `${Math.floor(seconds / 60)} minutes`;
}
