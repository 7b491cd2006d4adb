CREATE OR REPLACE FUNCTION public.domain_grams(name text, tld text)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
      DECLARE
        marked text := '^' || name || '$';
        grams text[] := ARRAY['.' || tld, right(name, 1) || '$'];
      BEGIN
        FOR i IN 1 .. length(name) LOOP
          grams := grams || substr(marked, i, 2) || substr(marked, i, 3);
        END LOOP;
        RETURN grams;
      END
      $function$;

CREATE TABLE dataset (
  singleton boolean DEFAULT true NOT NULL,
  available_records bigint DEFAULT 0 NOT NULL,
  last_event bigint DEFAULT 0 NOT NULL,
  refreshed timestamp with time zone,
  CONSTRAINT dataset_available_records_check CHECK ((available_records >= 0)),
  CONSTRAINT dataset_pkey PRIMARY KEY (singleton),
  CONSTRAINT dataset_singleton_check CHECK (singleton)
);

CREATE TABLE domain (
  domain text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  tld text COLLATE "C" NOT NULL,
  length smallint GENERATED ALWAYS AS (length(name)) STORED NOT NULL,
  hyphens smallint GENERATED ALWAYS AS ((length(name) - length(replace(name, '-'::text, ''::text)))) STORED NOT NULL,
  digits smallint GENERATED ALWAYS AS ((length(name) - length(translate(name, '0123456789'::text, ''::text)))) STORED NOT NULL,
  wayback integer DEFAULT 0 NOT NULL,
  archive_status text DEFAULT 'pending'::text NOT NULL,
  archive_first_capture date,
  archive_last_capture date,
  archive_captures integer,
  first_seen date,
  dropped_at timestamp with time zone NOT NULL,
  available boolean DEFAULT true NOT NULL,
  hidden boolean DEFAULT false NOT NULL,
  checked_at timestamp with time zone,
  CONSTRAINT domain_archive_captures_check CHECK ((archive_captures >= 0)),
  CONSTRAINT domain_archive_status_check CHECK ((archive_status = ANY (ARRAY['pending'::text, 'none'::text, 'ok'::text, 'error'::text]))),
  CONSTRAINT domain_check CHECK ((domain = ((name || '.'::text) || tld))),
  CONSTRAINT domain_pkey PRIMARY KEY (domain),
  CONSTRAINT domain_wayback_check CHECK ((wayback >= 0))
);

CREATE TABLE domain_event (
  number bigint NOT NULL,
  type text NOT NULL,
  domain text COLLATE "C" NOT NULL,
  occurred_at timestamp with time zone NOT NULL,
  CONSTRAINT domain_event_pkey PRIMARY KEY (number),
  CONSTRAINT domain_event_type_check CHECK ((type = ANY (ARRAY['domain.dropped'::text, 'domain.taken'::text])))
);

CREATE TABLE record_budget (
  key character varying(255) NOT NULL,
  points integer DEFAULT 0 NOT NULL,
  expire bigint,
  CONSTRAINT record_budget_pkey PRIMARY KEY (key)
);

CREATE TABLE registry_answer (
  domain text COLLATE "C" NOT NULL,
  state text NOT NULL,
  source text NOT NULL,
  checked_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT registry_answer_pkey PRIMARY KEY (domain),
  CONSTRAINT registry_answer_source_check CHECK ((source = ANY (ARRAY['rdap'::text, 'sandbox'::text, 'availability_service'::text]))),
  CONSTRAINT registry_answer_state_check CHECK ((state = ANY (ARRAY['registered'::text, 'expired_hold'::text, 'pending_purge'::text, 'pending_delete'::text, 'available'::text, 'reserved'::text])))
);

CREATE TABLE registry_pace (
  singleton boolean DEFAULT true NOT NULL,
  full_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT registry_pace_pkey PRIMARY KEY (singleton),
  CONSTRAINT registry_pace_singleton_check CHECK (singleton)
);

CREATE TABLE registry_pause (
  source text NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT registry_pause_pkey PRIMARY KEY (source),
  CONSTRAINT registry_pause_source_check CHECK ((source = ANY (ARRAY['rdap'::text, 'sandbox'::text, 'availability_service'::text])))
);

CREATE INDEX domain_band_0 ON public.domain USING gin (domain_grams(name, tld)) WITH (fastupdate=off) WHERE (available AND (NOT hidden) AND (wayback >= 0) AND (wayback <= 0));

CREATE INDEX domain_band_1 ON public.domain USING gin (domain_grams(name, tld)) WITH (fastupdate=off) WHERE (available AND (NOT hidden) AND (wayback >= 1) AND (wayback <= 9));

CREATE INDEX domain_band_10 ON public.domain USING gin (domain_grams(name, tld)) WITH (fastupdate=off) WHERE (available AND (NOT hidden) AND (wayback >= 10) AND (wayback <= 99));

CREATE INDEX domain_band_100 ON public.domain USING gin (domain_grams(name, tld)) WITH (fastupdate=off) WHERE (available AND (NOT hidden) AND (wayback >= 100) AND (wayback <= 999));

CREATE INDEX domain_band_1000 ON public.domain USING gin (domain_grams(name, tld)) WITH (fastupdate=off) WHERE (available AND (NOT hidden) AND (wayback >= 1000) AND (wayback <= 9999));

CREATE INDEX domain_band_10000 ON public.domain USING gin (domain_grams(name, tld)) WITH (fastupdate=off) WHERE (available AND (NOT hidden) AND (wayback >= 10000));

CREATE INDEX domain_rank ON public.domain USING btree (tld, wayback DESC, domain) WHERE (available AND (NOT hidden));

CREATE INDEX record_budget_expire ON public.record_budget USING btree (expire);

CREATE INDEX registry_answer_expires_at ON public.registry_answer USING btree (expires_at);
