import { IsOptional, IsString, MaxLength } from 'class-validator';

const MAX_PATH = 4096;

/** The part of {@link Env} that is about what pages for people show. */
export class SiteEnv {
  /** Registrars that the page of a name leads to, in their order, as JSON such as [{"name":"VentraIP","url":"https://ventraip.com.au/domain-names?domain={domain}","earns":false}]; earns: whether the link brings the operator money. Not set: the one of REGISTER_URL_TEMPLATE, as one that does not. */
  @IsOptional()
  @IsString()
  @MaxLength(10_000)
  REGISTRARS: string | undefined = undefined;

  /** What tiers cost, in words for /pricing, as JSON such as {"starter":"$29 a month"}. Tiers that are not named cost "on request". */
  @IsOptional()
  @IsString()
  @MaxLength(2_000)
  PRICES: string | undefined = undefined;

  /** Markdown file of /about. Not set: a sample that says that it is one. */
  @IsOptional()
  @IsString()
  @MaxLength(MAX_PATH)
  ABOUT_PAGE: string | undefined = undefined;

  /** Markdown file of /terms, the same. */
  @IsOptional()
  @IsString()
  @MaxLength(MAX_PATH)
  TERMS_PAGE: string | undefined = undefined;

  /** Markdown file of /privacy, the same. */
  @IsOptional()
  @IsString()
  @MaxLength(MAX_PATH)
  PRIVACY_PAGE: string | undefined = undefined;
}
