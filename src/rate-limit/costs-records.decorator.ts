import { Reflector } from '@nestjs/core';

/** Marks what is paid for in records: a caller who has none left is refused by the guard, before any work. */
export const CostsRecords = Reflector.createDecorator<true>({ transform: () => true });
