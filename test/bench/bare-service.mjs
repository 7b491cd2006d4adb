// The least that a service in the same framework can be, to measure against: no guard, no budget, no shape of an answer.
import 'reflect-metadata';
import { Controller, Get, Module, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readConfig } from '../../dist/src/config/read-config.js';
import { createDataSource } from '../../dist/src/db/data-source.js';
import { Database } from '../../dist/src/db/database.js';
import { NameSampler } from '../../dist/src/domains/search/name-sampler.js';
import { openDiscovery } from './open-discovery.mjs';

const config = readConfig({});
const dataSource = createDataSource(process.env.DATABASE_URL, config.database.poolSize, () => undefined);
await dataSource.initialize();
const database = new Database(dataSource);
const sampler = new NameSampler(database);
await sampler.refresh();
const { repository: discovery, close } = await openDiscovery(
  (path) => import(`../../dist/src/${path}`),
  database,
  sampler,
);

class BareController {
  /** One trivial query. */
  trivial() {
    return database.query('SELECT 1 AS one');
  }

  /** The question alone, its rows as they come. */
  async discover({ q, mode, tld, min_wayback, limit }) {
    const suffixes = tld ? [tld] : [];
    return discovery.discoverOffers({
      q,
      mode,
      suffixes,
      minWayback: Number(min_wayback),
      limit: Number(limit),
    });
  }
}
route(BareController, 'trivial');
route(BareController, 'discover');
Query()(BareController.prototype, 'discover', 0);
Controller()(BareController);

class BareModule {}
Module({ controllers: [BareController] })(BareModule);

const app = await NestFactory.create(BareModule, { logger: false });
await app.listen(0, '127.0.0.1');
process.once('SIGTERM', async () => {
  await app.close();
  await close();
  await dataSource.destroy();
});
process.send(await app.getUrl());

function route(controller, method) {
  const { prototype } = controller;
  Get(method)(prototype, method, Object.getOwnPropertyDescriptor(prototype, method));
}
