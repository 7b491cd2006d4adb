import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { ShortlistRepository } from '../accounts/shortlist.repository.js';
import { FormerSiteModule } from '../archive/former-site/former-sites.js';
import { CheckModule } from '../api/check/check.module.js';
import { DomainsModule } from '../domains/domains.module.js';
import { RateLimitModule } from '../access/rate-limit.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { ServiceLevelsModule } from '../observe/service-levels.module.js';
import { StatusModule } from '../api/status/status.module.js';
import { CheckPageController, CheckPageService } from './check/check-page.controller.js';
import { DayCounts } from './drops/drops-view.js';
import { DropsPageService } from './drops/drops-page.service.js';
import { EntryController } from './entry.controller.js';
import { DocsPageService, OperatorPagesService } from './facts/documents.js';
import { FactsController } from './facts/facts.controller.js';
import { ServiceDaysReader } from './facts/service-days.js';
import { AssetsController, MachinesController } from './files.controller.js';
import { accountPageHeaders, pageHeaders } from './layout/page-requests.js';
import { CsvController, DropsPageController } from './lists.controller.js';
import { NameEligibility } from './names/name-eligibility.js';
import { OrderHere } from './names/order-here.js';
import { NameEligibilityController, NamePageService, NamesController } from './names/names.controller.js';
import { PictureMaker, PicturesController } from './names/name-picture.js';
import { NameStatuses } from './names/name-statuses.js';
import { RelatedNames } from './names/related-names.js';
import { ShortlistController, ShortlistService } from './names/shortlist.controller.js';
import { readForm } from './profile/form-pages.js';
import { SearchHintFinder } from './search/search-hints.js';
import { SearchPageService } from './search/search-page.service.js';

const PAGES = [
  NamesController,
  ShortlistController,
  CheckPageController,
  CsvController,
  DropsPageController,
  FactsController,
];

const PROVIDERS = [
  ServiceDaysReader,
  NamePageService,
  NameStatuses,
  PictureMaker,
  RelatedNames,
  ShortlistRepository,
  ShortlistService,
  OperatorPagesService,
  CheckPageService,
  DocsPageService,
  DayCounts,
  DropsPageService,
  SearchHintFinder,
  SearchPageService,
];

@Module({
  imports: [
    ...[FormerSiteModule, CheckModule, DomainsModule, RateLimitModule, RegistryModule, StatusModule],
    ServiceLevelsModule,
  ],
})
export class PagesModule implements NestModule {
  /** @param orders null where names cannot be ordered: then no page judges a holder */
  static with(orders: DynamicModule | null): DynamicModule {
    const controllers = [PicturesController, ...PAGES, ...(orders ? [NameEligibilityController] : [])];
    return {
      module: PagesModule,
      imports: orders ? [orders] : [],
      controllers: [...controllers, EntryController, AssetsController, MachinesController],
      providers: [...PROVIDERS, ...(orders ? [NameEligibility, OrderHere] : [])],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(pageHeaders).forRoutes(...PAGES);
    consumer.apply(accountPageHeaders, readForm).forRoutes(NameEligibilityController);
  }
}
