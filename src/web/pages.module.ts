import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { ArchiveModule } from '../archive/archive.module.js';
import { CheckModule } from '../api/check/check.module.js';
import { DomainsModule } from '../domains/domains.module.js';
import { RateLimitModule } from '../access/rate-limit.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { StatusModule } from '../api/status/status.module.js';
import { EntryController } from './agents/entry.controller.js';
import { CheckPageController } from './check/check-page.controller.js';
import { CheckPageService } from './check/check-page.service.js';
import { CsvPageController } from './csv/csv-page.controller.js';
import { NamesCsv } from './csv/names-csv.js';
import { DocsPageController } from './docs/docs-page.controller.js';
import { DocsPageService } from './docs/docs-page.service.js';
import { DayCounts } from './drops/day-counts.js';
import { DropsPageController } from './drops/drops-page.controller.js';
import { DropsPageService } from './drops/drops-page.service.js';
import { FactsController } from './facts/facts.controller.js';
import { OperatorPagesService } from './facts/operator-pages.service.js';
import { pageHeaders } from './layout/page-headers.js';
import { AssetsController } from './layout/assets.controller.js';
import { MachinesController } from './machines/machines.controller.js';
import { NamePageService } from './names/name-page.service.js';
import { NamesController } from './names/names.controller.js';
import { SearchPageService } from './search/search-page.service.js';

const PAGES = [
  NamesController,
  CheckPageController,
  CsvPageController,
  DocsPageController,
  DropsPageController,
  FactsController,
];

/** Pages for people, but for those of accounts. */
@Module({
  imports: [ArchiveModule, CheckModule, DomainsModule, RateLimitModule, RegistryModule, StatusModule],
  controllers: [...PAGES, EntryController, AssetsController, MachinesController],
  providers: [
    NamesCsv,
    NamePageService,
    OperatorPagesService,
    CheckPageService,
    DocsPageService,
    DayCounts,
    DropsPageService,
    SearchPageService,
  ],
})
export class PagesModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(pageHeaders).forRoutes(...PAGES);
  }
}
