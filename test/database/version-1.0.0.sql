-- A database as the seventeen migrations of version 1.0.0 before their squash left it, with a little data, by
-- pg_dump 15 --inserts (its comments left out). Old code made it, which is why it stands here; it never changes.
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE FUNCTION public.announce_events() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      BEGIN
        NOTIFY domain_event;
        RETURN NULL;
      END $$;

CREATE FUNCTION public.commit_without_waiting() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        RETURN NULL;
      END $$;

CREATE FUNCTION public.domain_grams(name text, tld text) RETURNS integer[]
    LANGUAGE plpgsql IMMUTABLE STRICT COST 1000 PARALLEL SAFE
    AS $_$
      DECLARE
        name_bytes bytea := convert_to('^' || name || '$', 'UTF8');
        suffix bytea := convert_to('.' || tld || '$', 'UTF8');
        grams integer[] := ARRAY[
          (get_byte(suffix, 0) << 24) | (get_byte(suffix, 1) << 16) | (get_byte(suffix, 2) << 8) | get_byte(suffix, 3)];
        last_four integer := (get_byte(name_bytes, 0) << 8) | get_byte(name_bytes, 1);
      BEGIN
        FOR place IN 2 .. length(name_bytes) - 1 LOOP
          last_four := (last_four << 8) | get_byte(name_bytes, place);
          grams := grams || last_four || (last_four & x'ffffff'::integer);
        END LOOP;
        RETURN grams;
      END $_$;

CREATE FUNCTION public.raise_auth_version() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      BEGIN
        UPDATE auth_version SET version = version + 1;
        RETURN NULL;
      END $$;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE public.account (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    email text NOT NULL,
    email_verified boolean DEFAULT false NOT NULL,
    name text NOT NULL,
    image text,
    tier text DEFAULT 'member'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT account_email_check CHECK (((email = lower(email)) AND (length(email) <= 254))),
    CONSTRAINT account_tier_check CHECK ((tier = ANY (ARRAY['member'::text, 'starter'::text, 'pro'::text, 'firehose'::text])))
);

CREATE TABLE public.account_attempt (
    key character varying(255) NOT NULL,
    points integer DEFAULT 0 NOT NULL,
    expire bigint
);

CREATE TABLE public.account_credential (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    account_id uuid NOT NULL,
    provider text NOT NULL,
    provider_account_id text NOT NULL,
    password text,
    access_token text,
    refresh_token text,
    id_token text,
    access_token_expires_at timestamp with time zone,
    refresh_token_expires_at timestamp with time zone,
    scope text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.account_link (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    identifier text NOT NULL,
    value text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.account_session (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    account_id uuid NOT NULL,
    token text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ip_address text,
    user_agent text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.api_key (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    account_id uuid NOT NULL,
    hash bytea NOT NULL,
    kind text NOT NULL,
    start text NOT NULL,
    tail text NOT NULL,
    name text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    submission uuid NOT NULL,
    replaced_at timestamp with time zone,
    CONSTRAINT api_key_hash_check CHECK ((length(hash) = 32)),
    CONSTRAINT api_key_kind_check CHECK ((kind = ANY (ARRAY['live'::text, 'test'::text]))),
    CONSTRAINT api_key_name_check CHECK (((length(name) >= 1) AND (length(name) <= 60))),
    CONSTRAINT api_key_scopes_check CHECK (((scopes <@ ARRAY['read'::text, 'webhooks'::text, 'export'::text]) AND (cardinality(scopes) > 0)))
);

CREATE TABLE public.auth_version (
    singleton boolean DEFAULT true NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    CONSTRAINT auth_version_singleton_check CHECK (singleton)
);

CREATE TABLE public.dataset (
    singleton boolean DEFAULT true NOT NULL,
    available_records bigint DEFAULT 0 NOT NULL,
    last_event bigint DEFAULT 0 NOT NULL,
    refreshed timestamp with time zone,
    last_event_at timestamp with time zone,
    CONSTRAINT dataset_available_records_check CHECK ((available_records >= 0)),
    CONSTRAINT dataset_singleton_check CHECK (singleton)
);

CREATE TABLE public.domain (
    domain text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    tld text NOT NULL COLLATE pg_catalog."C",
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
    CONSTRAINT domain_wayback_check CHECK ((wayback >= 0))
);

CREATE TABLE public.domain_event (
    number bigint NOT NULL,
    type text NOT NULL,
    domain text NOT NULL COLLATE pg_catalog."C",
    occurred_at timestamp with time zone NOT NULL,
    CONSTRAINT domain_event_type_check CHECK ((type = ANY (ARRAY['domain.dropped'::text, 'domain.taken'::text])))
);

CREATE TABLE public.migration (
    id integer NOT NULL,
    "timestamp" bigint NOT NULL,
    name character varying NOT NULL
);

CREATE SEQUENCE public.migration_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.migration_id_seq OWNED BY public.migration.id;

CREATE TABLE public.record_budget (
    key character varying(255) NOT NULL,
    points integer DEFAULT 0 NOT NULL,
    expire bigint
);

CREATE TABLE public.registry_answer (
    domain text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    source text NOT NULL,
    checked_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT registry_answer_source_check CHECK ((source = ANY (ARRAY['rdap'::text, 'sandbox'::text, 'availability_service'::text]))),
    CONSTRAINT registry_answer_state_check CHECK ((state = ANY (ARRAY['registered'::text, 'expired_hold'::text, 'pending_purge'::text, 'pending_delete'::text, 'available'::text, 'reserved'::text])))
);

CREATE TABLE public.registry_pace (
    singleton boolean DEFAULT true NOT NULL,
    full_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT registry_pace_singleton_check CHECK (singleton)
);

CREATE TABLE public.registry_pause (
    source text NOT NULL,
    until timestamp with time zone NOT NULL,
    CONSTRAINT registry_pause_source_check CHECK ((source = ANY (ARRAY['rdap'::text, 'sandbox'::text, 'availability_service'::text])))
);

CREATE TABLE public.webhook (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    account_id uuid NOT NULL,
    url text NOT NULL,
    description text NOT NULL,
    event_types text[] NOT NULL,
    suffixes text[] NOT NULL,
    q text,
    mode text NOT NULL,
    min_wayback integer NOT NULL,
    min_length smallint,
    max_length smallint,
    batch_size smallint NOT NULL,
    secret bytea NOT NULL,
    earlier_secrets bytea[] DEFAULT '{}'::bytea[] NOT NULL,
    earlier_until timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
    enabled boolean NOT NULL,
    disabled_reason text,
    after_event bigint NOT NULL,
    failing_since timestamp with time zone,
    held_until timestamp with time zone,
    idempotency_key text,
    request_hash bytea,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    is_slow boolean DEFAULT false NOT NULL,
    not_before timestamp with time zone,
    tell_owner_after timestamp with time zone,
    CONSTRAINT webhook_batch_size_check CHECK (((batch_size >= 1) AND (batch_size <= 100)))
);

CREATE TABLE public.webhook_delivery (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    webhook_id uuid NOT NULL,
    type text NOT NULL,
    events bigint[] NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    response_status smallint,
    response_text text,
    problem text,
    duration_ms integer,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    attempted_at timestamp with time zone,
    is_batch boolean DEFAULT false NOT NULL,
    CONSTRAINT webhook_delivery_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);

CREATE TABLE public.webhook_outbox (
    singleton boolean DEFAULT true NOT NULL,
    last_event bigint NOT NULL,
    CONSTRAINT webhook_outbox_singleton_check CHECK (singleton)
);

ALTER TABLE ONLY public.migration ALTER COLUMN id SET DEFAULT nextval('public.migration_id_seq'::regclass);

INSERT INTO public.account VALUES ('00000000-0000-4000-8000-000000000001', 'ada@example.com.au', true, 'Ada', NULL, 'pro', '2026-11-22 03:34:12.660682+00', '2026-11-22 03:34:12.660682+00');
INSERT INTO public.account VALUES ('00000000-0000-4000-8000-000000000002', 'new@example.com.au', false, 'New', NULL, 'member', '2026-11-22 03:34:12.660682+00', '2026-11-22 03:34:12.660682+00');

INSERT INTO public.account_attempt VALUES ('sign-in:1', 3, 1800000000000);

INSERT INTO public.account_credential VALUES ('75d1482a-a71e-410c-a98a-440ff3c2a61e', '00000000-0000-4000-8000-000000000001', 'credential', '00000000-0000-4000-8000-000000000001', 'not-a-hash', NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-22 03:34:12.665274+00', '2026-11-22 03:34:12.665274+00');

INSERT INTO public.account_link VALUES ('a439467c-9605-4d66-938d-8d0dfd00bb27', 'reset:1', 'value', '2027-01-01 00:00:00+00', '2026-11-22 03:34:12.667282+00', '2026-11-22 03:34:12.667282+00');

INSERT INTO public.account_session VALUES ('cf1d8025-8991-4c16-9c6c-cbea0c5109cf', '00000000-0000-4000-8000-000000000001', 'token-1', '2027-01-01 00:00:00+00', NULL, NULL, '2026-11-22 03:34:12.666622+00', '2026-11-22 03:34:12.666622+00');

INSERT INTO public.api_key VALUES ('e8fd54b4-df35-41b3-af12-e1b82c1b88d7', '00000000-0000-4000-8000-000000000001', '\x7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed', 'live', 'bb_live_aaaa', 'zzzz', 'laptop', '{read,webhooks}', '2026-11-22 03:34:12.671167+00', NULL, NULL, NULL, '00000000-0000-4000-8000-0000000000a1', NULL);
INSERT INTO public.api_key VALUES ('e0e795b1-f7dc-4b95-8f0d-fab6b7632ffd', '00000000-0000-4000-8000-000000000001', '\x3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3', 'test', 'bb_test_aaaa', 'yyyy', 'old', '{read}', '2026-11-22 03:34:12.671167+00', NULL, NULL, NULL, '00000000-0000-4000-8000-0000000000a2', '2026-11-01 00:00:00+00');

INSERT INTO public.auth_version VALUES (true, 0);

INSERT INTO public.dataset VALUES (true, 5, 3, '2026-11-02 04:00:00+00', '2026-11-03 00:00:00+00');

INSERT INTO public.domain VALUES ('coffee-roaster.com.au', 'coffee-roaster', 'com.au', DEFAULT, DEFAULT, DEFAULT, 12500, 'ok', '2001-02-03', '2001-02-03', 900, '2026-11-02', '2026-11-02 03:00:00+00', true, false, NULL);
INSERT INTO public.domain VALUES ('coffee.net.au', 'coffee', 'net.au', DEFAULT, DEFAULT, DEFAULT, 640, 'ok', '2004-05-06', '2004-05-06', 40, '2026-11-02', '2026-11-02 03:00:00+00', true, false, '2026-11-03 00:00:00+00');
INSERT INTO public.domain VALUES ('surf.org.au', 'surf', 'org.au', DEFAULT, DEFAULT, DEFAULT, 55, 'ok', '2010-01-01', '2010-01-01', 7, '2026-11-01', '2026-11-02 03:00:00+00', true, false, NULL);
INSERT INTO public.domain VALUES ('mine2.id.au', 'mine2', 'id.au', DEFAULT, DEFAULT, DEFAULT, 3, 'ok', '2015-01-01', '2015-01-01', 1, NULL, '2026-11-02 03:00:00+00', true, false, NULL);
INSERT INTO public.domain VALUES ('plain.au', 'plain', 'au', DEFAULT, DEFAULT, DEFAULT, 0, 'none', NULL, NULL, NULL, '2026-11-02', '2026-11-02 03:00:00+00', true, false, NULL);
INSERT INTO public.domain VALUES ('secret.asn.au', 'secret', 'asn.au', DEFAULT, DEFAULT, DEFAULT, 5000, 'pending', NULL, NULL, NULL, '2026-11-02', '2026-11-02 03:00:00+00', true, true, NULL);
INSERT INTO public.domain VALUES ('gone.com.au', 'gone', 'com.au', DEFAULT, DEFAULT, DEFAULT, 1500, 'error', NULL, NULL, NULL, '2026-10-02', '2026-11-02 03:00:00+00', false, false, '2026-11-03 00:00:00+00');

INSERT INTO public.domain_event VALUES (1, 'domain.dropped', 'gone.com.au', '2026-11-02 03:00:00+00');
INSERT INTO public.domain_event VALUES (2, 'domain.dropped', 'coffee.net.au', '2026-11-02 03:00:00+00');
INSERT INTO public.domain_event VALUES (3, 'domain.taken', 'gone.com.au', '2026-11-03 00:00:00+00');

INSERT INTO public.migration VALUES (1, 1765000000000, 'CreateDataset1765000000000');
INSERT INTO public.migration VALUES (2, 1765000050000, 'CreateRecordBudget1765000050000');
INSERT INTO public.migration VALUES (3, 1765000100000, 'CreateDiscoveryIndexes1765000100000');
INSERT INTO public.migration VALUES (4, 1765000200000, 'CreateRegistry1765000200000');
INSERT INTO public.migration VALUES (5, 1765000400000, 'CreateAccounts1765000400000');
INSERT INTO public.migration VALUES (6, 1765000410000, 'CreateApiKeys1765000410000');
INSERT INTO public.migration VALUES (7, 1765000420000, 'CreateAccountAttempts1765000420000');
INSERT INTO public.migration VALUES (8, 1765000500000, 'CreateSearchIndexes1765000500000');
INSERT INTO public.migration VALUES (9, 1765000510000, 'CreateFeed1765000510000');
INSERT INTO public.migration VALUES (10, 1765000515000, 'CountBudgetWithoutWaiting1765000515000');
INSERT INTO public.migration VALUES (11, 1765000600000, 'CreateWebhooks1765000600000');
INSERT INTO public.migration VALUES (12, 1765000610000, 'SettleWebhookDeliveries1765000610000');
INSERT INTO public.migration VALUES (13, 1765000615000, 'NoteReplacedKeys1765000615000');
INSERT INTO public.migration VALUES (14, 1765000620000, 'LetGoOfRemovedWebhooks1765000620000');
INSERT INTO public.migration VALUES (15, 1765000630000, 'LeaveBusyReceiversAlone1765000630000');
INSERT INTO public.migration VALUES (16, 1765000640000, 'KeepEarlierSecrets1765000640000');
INSERT INTO public.migration VALUES (17, 1765000650000, 'TellOwnersForCertain1765000650000');

INSERT INTO public.record_budget VALUES ('demo:192.0.2.1', 4, 1800000000000);

INSERT INTO public.registry_answer VALUES ('gone.com.au', 'registered', 'rdap', '2026-11-03 00:00:00+00', '2026-11-03 01:00:00+00');

INSERT INTO public.registry_pace VALUES (true, '2026-11-22 03:33:36.993521+00');

INSERT INTO public.registry_pause VALUES ('rdap', '2026-11-03 00:01:00+00');

INSERT INTO public.webhook VALUES ('00000000-0000-4000-8000-0000000000b1', '00000000-0000-4000-8000-000000000001', 'https://hooks.example.com/a', 'mine', '{domain.dropped,domain.taken}', '{com.au}', 'coffee', 'contains', 10, NULL, NULL, 1, '\x0102', '{"\\x0304"}', '{"2026-11-04 00:00:00+00"}', true, NULL, 1, NULL, NULL, NULL, NULL, '2026-11-22 03:34:12.678361+00', '2026-11-22 03:34:12.678361+00', true, '2026-11-03 00:00:00+00', NULL);

INSERT INTO public.webhook_delivery VALUES ('cdefb7cb-6c57-4156-b5ba-f0c258f3bd54', '00000000-0000-4000-8000-0000000000b1', 'domain.dropped', '{2}', 'delivered', 1, '2026-11-22 03:34:12.678965+00', 200, NULL, NULL, NULL, '2026-11-22 03:34:12.678965+00', NULL, false);
INSERT INTO public.webhook_delivery VALUES ('c7f2dd40-9949-4cbc-b6fb-26d1ab0cf2bd', '00000000-0000-4000-8000-0000000000b1', 'domain.taken', '{3}', 'pending', 0, '2026-11-22 03:34:12.678965+00', NULL, NULL, NULL, NULL, '2026-11-22 03:34:12.678965+00', NULL, true);
INSERT INTO public.webhook_delivery VALUES ('a78aaf11-068c-42e9-8804-f92ea447832c', '00000000-0000-4000-8000-0000000000b1', 'webhook.test', '{}', 'failed', 8, '2026-11-22 03:34:12.678965+00', 500, NULL, NULL, NULL, '2026-11-22 03:34:12.678965+00', NULL, false);

INSERT INTO public.webhook_outbox VALUES (true, 3);

SELECT pg_catalog.setval('public.migration_id_seq', 17, true);

ALTER TABLE ONLY public.migration
    ADD CONSTRAINT "PK_3043fc6b8af7c99b8b98830094f" PRIMARY KEY (id);

ALTER TABLE ONLY public.account_attempt
    ADD CONSTRAINT account_attempt_pkey PRIMARY KEY (key);

ALTER TABLE ONLY public.account_credential
    ADD CONSTRAINT account_credential_account_id_provider_key UNIQUE (account_id, provider);

ALTER TABLE ONLY public.account_credential
    ADD CONSTRAINT account_credential_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_email_key UNIQUE (email);

ALTER TABLE ONLY public.account_link
    ADD CONSTRAINT account_link_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.account_session
    ADD CONSTRAINT account_session_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.account_session
    ADD CONSTRAINT account_session_token_key UNIQUE (token);

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_account_id_submission_key UNIQUE (account_id, submission);

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.auth_version
    ADD CONSTRAINT auth_version_pkey PRIMARY KEY (singleton);

ALTER TABLE ONLY public.dataset
    ADD CONSTRAINT dataset_pkey PRIMARY KEY (singleton);

ALTER TABLE ONLY public.domain_event
    ADD CONSTRAINT domain_event_pkey PRIMARY KEY (number);

ALTER TABLE ONLY public.domain
    ADD CONSTRAINT domain_pkey PRIMARY KEY (domain);

ALTER TABLE ONLY public.record_budget
    ADD CONSTRAINT record_budget_pkey PRIMARY KEY (key);

ALTER TABLE ONLY public.registry_answer
    ADD CONSTRAINT registry_answer_pkey PRIMARY KEY (domain);

ALTER TABLE ONLY public.registry_pace
    ADD CONSTRAINT registry_pace_pkey PRIMARY KEY (singleton);

ALTER TABLE ONLY public.registry_pause
    ADD CONSTRAINT registry_pause_pkey PRIMARY KEY (source);

ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT webhook_account_id_idempotency_key_key UNIQUE (account_id, idempotency_key);

ALTER TABLE ONLY public.webhook_delivery
    ADD CONSTRAINT webhook_delivery_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_outbox
    ADD CONSTRAINT webhook_outbox_pkey PRIMARY KEY (singleton);

ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT webhook_pkey PRIMARY KEY (id);

CREATE INDEX account_attempt_expire ON public.account_attempt USING btree (expire);

CREATE INDEX account_link_expires_at ON public.account_link USING btree (expires_at);

CREATE INDEX account_link_identifier ON public.account_link USING btree (identifier);

CREATE INDEX account_session_account_id ON public.account_session USING btree (account_id);

CREATE INDEX account_session_expires_at ON public.account_session USING btree (expires_at);

CREATE INDEX account_unverified ON public.account USING btree (created_at) WHERE (NOT email_verified);

CREATE INDEX domain_band_0 ON public.domain USING gin (public.domain_grams(name, tld)) WITH (fastupdate=off) WHERE (available AND (NOT hidden) AND (wayback >= 0) AND (wayback <= 0));

CREATE INDEX domain_band_1 ON public.domain USING gin (public.domain_grams(name, tld)) WITH (fastupdate=off) WHERE (available AND (NOT hidden) AND (wayback >= 1) AND (wayback <= 9));

CREATE INDEX domain_band_10 ON public.domain USING gin (public.domain_grams(name, tld)) WITH (fastupdate=off) WHERE (available AND (NOT hidden) AND (wayback >= 10) AND (wayback <= 99));

CREATE INDEX domain_band_100 ON public.domain USING gin (public.domain_grams(name, tld)) WITH (fastupdate=off) WHERE (available AND (NOT hidden) AND (wayback >= 100) AND (wayback <= 999));

CREATE INDEX domain_band_1000 ON public.domain USING gin (public.domain_grams(name, tld)) WITH (fastupdate=off) WHERE (available AND (NOT hidden) AND (wayback >= 1000) AND (wayback <= 9999));

CREATE INDEX domain_band_10000 ON public.domain USING gin (public.domain_grams(name, tld)) WITH (fastupdate=off) WHERE (available AND (NOT hidden) AND (wayback >= 10000));

CREATE INDEX domain_event_domain ON public.domain_event USING hash (domain);

CREATE INDEX domain_first_seen ON public.domain USING btree (first_seen DESC NULLS LAST, wayback DESC, domain) WHERE (available AND (NOT hidden));

CREATE INDEX domain_length ON public.domain USING btree (length, wayback DESC, domain) WHERE (available AND (NOT hidden));

CREATE INDEX domain_rank ON public.domain USING btree (tld, wayback DESC, domain) WHERE (available AND (NOT hidden));

CREATE INDEX record_budget_expire ON public.record_budget USING btree (expire);

CREATE INDEX registry_answer_expires_at ON public.registry_answer USING btree (expires_at);

CREATE INDEX webhook_account ON public.webhook USING btree (account_id, created_at);

CREATE INDEX webhook_delivery_age ON public.webhook_delivery USING btree (created_at);

CREATE INDEX webhook_delivery_due ON public.webhook_delivery USING btree (webhook_id, due_at) WHERE (status = 'pending'::text);

CREATE INDEX webhook_delivery_failed ON public.webhook_delivery USING btree (webhook_id, created_at, id) WHERE (status = 'failed'::text);

CREATE INDEX webhook_delivery_log ON public.webhook_delivery USING btree (webhook_id, created_at, id);

CREATE TRIGGER account_tier_changed AFTER UPDATE OF tier ON public.account FOR EACH STATEMENT EXECUTE FUNCTION public.raise_auth_version();

CREATE TRIGGER announce_events AFTER INSERT ON public.domain_event FOR EACH STATEMENT EXECUTE FUNCTION public.announce_events();

CREATE TRIGGER api_key_taken_away AFTER DELETE OR UPDATE OF hash, account_id, kind, scopes, expires_at, revoked_at OR TRUNCATE ON public.api_key FOR EACH STATEMENT EXECUTE FUNCTION public.raise_auth_version();

CREATE TRIGGER commit_without_waiting BEFORE INSERT OR UPDATE ON public.record_budget FOR EACH STATEMENT EXECUTE FUNCTION public.commit_without_waiting();

ALTER TABLE ONLY public.account_credential
    ADD CONSTRAINT account_credential_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.account_session
    ADD CONSTRAINT account_session_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT webhook_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id) ON DELETE CASCADE;

