import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { ShortlistRepository } from '../accounts/shortlist.repository.js';
import { FormerSiteModule } from '../archive/former-site/former-sites.js';
import { CheckModule } from '../api/check/check.module.js';
import { DomainsModule } from '../domains/domains.module.js';
import { RateLimitModule } from '../access/rate-limit.module.js';
import { RegistryModule } from '../registry/registry.module.js';
import { StatusModule } from '../api/status/status.module.js';
import { CheckPageController, CheckPageService } from './check/check-page.controller.js';
import { DayCounts } from './drops/drops-view.js';
import { DropsPageService } from './drops/drops-page.service.js';
import { EntryController } from './entry.controller.js';
import { DocsPageService, OperatorPagesService } from './facts/documents.js';
import { FactsController } from './facts/facts.controller.js';
import { AssetsController, MachinesController } from './files.controller.js';
import { pageHeaders } from './layout/page-requests.js';
import { CsvController, DropsPageController } from './lists.controller.js';
import { NamePageService, NamesController } from './names/names.controller.js';
import { PictureMaker, PicturesController } from './names/name-picture.js';
import { RelatedNames } from './names/related-names.js';
import { ShortlistController, ShortlistService } from './names/shortlist.controller.js';
import { SearchPageService } from './search/search-page.service.js';

const PAGES = [
  NamesController,
  ShortlistController,
  CheckPageController,
  CsvController,
  DropsPageController,
  FactsController,
];

@Module({
  imports: [FormerSiteModule, CheckModule, DomainsModule, RateLimitModule, RegistryModule, StatusModule],
  controllers: [PicturesController, ...PAGES, EntryController, AssetsController, MachinesController],
  providers: [
    NamePageService,
    PictureMaker,
    RelatedNames,
    ShortlistRepository,
    ShortlistService,
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
