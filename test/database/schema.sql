CREATE OR REPLACE FUNCTION public.announce_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        NOTIFY domain_event;
        RETURN NULL;
      END $function$;

CREATE OR REPLACE FUNCTION public.announce_order_notices()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        NOTIFY order_notice;
        RETURN NULL;
      END $function$;

CREATE OR REPLACE FUNCTION public.answers_about(names text[])
 RETURNS SETOF kept_answer
 LANGUAGE sql
 STABLE
AS $function$
        SELECT kept.* FROM kept_answer AS kept WHERE kept.domain = ANY (names)
         UNION ALL
        SELECT one.*
          FROM packed_answer AS packed,
               unnest(packed.asked_at, packed.took_ms, packed.text_id, packed.age_s, packed.domains)
                 AS one (asked_at, took_ms, text_id, age_s, domain)
         WHERE packed.domains && names AND one.domain = ANY (names)
      $function$;

CREATE OR REPLACE FUNCTION public.create_answer_month(day timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
      DECLARE
        first timestamp := date_trunc('month', day AT TIME ZONE 'UTC');
        part text := 'kept_answer_' || to_char(first, 'YYYY_MM');
      BEGIN
        IF to_regclass(part) IS NOT NULL THEN RETURN; END IF;
        LOCK TABLE kept_answer IN SHARE UPDATE EXCLUSIVE MODE;
        IF to_regclass(part) IS NOT NULL THEN RETURN; END IF;
        EXECUTE format('CREATE TABLE %I (LIKE kept_answer INCLUDING ALL)', part);
        EXECUTE format('ALTER TABLE kept_answer ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                       part, first AT TIME ZONE 'UTC', (first + interval '1 month') AT TIME ZONE 'UTC');
      END $function$;

CREATE OR REPLACE FUNCTION public.domain_grams(name text, tld text)
 RETURNS integer[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT COST 1000
AS $function$
      DECLARE
        name_bytes bytea := convert_to('^' || name || '$', 'UTF8');
        suffix bytea := convert_to('.' || tld || '$', 'UTF8');
        joined integer := array_position(ARRAY['net.au', 'org.au', 'id.au', 'asn.au', 'au'], tld) << 24;
        grams integer[] := ARRAY[
          (get_byte(suffix, 0) << 24) | (get_byte(suffix, 1) << 16) | (get_byte(suffix, 2) << 8) | get_byte(suffix, 3)];
        last_four integer := (get_byte(name_bytes, 0) << 8) | get_byte(name_bytes, 1);
      BEGIN
        grams := grams || ((get_byte(name_bytes, 0) << 8) | get_byte(name_bytes, 1));
        IF joined IS NOT NULL THEN
          grams := grams || (joined | (get_byte(name_bytes, 0) << 8) | get_byte(name_bytes, 1));
        END IF;
        FOR place IN 2 .. length(name_bytes) - 1 LOOP
          last_four := (last_four << 8) | get_byte(name_bytes, place);
          grams := grams || last_four || (last_four & x'ffffff'::integer) || (last_four & 65535);
          IF joined IS NOT NULL THEN
            grams := grams || (joined | (last_four & x'ffffff'::integer)) || (joined | (last_four & 65535));
          END IF;
        END LOOP;
        RETURN grams;
      END $function$;

CREATE OR REPLACE FUNCTION public.domain_traits(name text, hyphens smallint, digits smallint, first_seen date)
 RETURNS integer[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE COST 1000
AS $function$
      DECLARE
        traits integer[] := array_remove(ARRAY[
          200 + least(length(name), 32),
          300 + least(length(name), 32) / 4,
          400 + greatest(ascii(name), 57),
          1000000 + (first_seen - '0001-01-01') / 28,
          (first_seen - '0001-01-01') / 7,
          CASE WHEN hyphens > 0 THEN CASE WHEN digits > 0 THEN 3 ELSE 1 END WHEN digits > 0 THEN 2 END,
          CASE WHEN strpos(name, 'j') > 0 THEN 106 END,
          CASE WHEN strpos(name, 'q') > 0 THEN 113 END,
          CASE WHEN strpos(name, 'v') > 0 THEN 118 END,
          CASE WHEN strpos(name, 'x') > 0 THEN 120 END,
          CASE WHEN strpos(name, 'z') > 0 THEN 122 END], NULL);
      BEGIN
        IF digits > 0 THEN
          FOR digit IN 0 .. 9 LOOP
            IF strpos(name, digit::text) > 0 THEN
              traits := traits || (48 + digit);
            END IF;
          END LOOP;
        END IF;
        RETURN traits;
      END $function$;

CREATE OR REPLACE FUNCTION public.domain_word_traits(words integer[], name text, tld text, hyphens smallint, digits smallint, first_capture date, last_capture date)
 RETURNS integer[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE COST 1000
AS $function$
      DECLARE
        traits integer[] := '{}';
        shape integer;
        shapes integer[];
        joined integer := array_position(ARRAY['net.au', 'org.au', 'id.au', 'asn.au', 'au'], tld) << 20;
      BEGIN
        IF length(name) <= 8 THEN
          traits := traits || (1000000000 +
            ('1' || translate(name, 'aeioubcdfghjklmnpqrstvwxyz0123456789-', '0000011111111111111111111122222222223'))::integer);
        END IF;
        IF words IS NOT NULL THEN
          shape := least(cardinality(array_remove(words, 0)), 7) * 4
            + CASE WHEN words <> '{}' AND 0 <> ALL (words) AND digits = 0 THEN 2 ELSE 0 END
            + CASE WHEN hyphens > 0 THEN 1 ELSE 0 END;
          shapes := ARRAY[4096 + shape, shape * 64 + least(length(name), 32), 16384 + shape * 128 + ascii(name)];
          traits := traits || shapes || ARRAY[joined + shapes[1], joined + shapes[2], joined + shapes[3]];
        END IF;
        IF first_capture IS NOT NULL AND last_capture IS NOT NULL THEN
          traits := traits || (8192 + (extract(year FROM last_capture) - extract(year FROM first_capture) + 1)::integer);
        END IF;
        RETURN array_remove(traits, NULL);
      END $function$;

CREATE OR REPLACE FUNCTION public.end_statement(code text, why text)
 RETURNS boolean
 LANGUAGE plpgsql
 PARALLEL SAFE
AS $function$
      BEGIN
        RAISE EXCEPTION USING ERRCODE = code, MESSAGE = why;
      END $function$;

CREATE OR REPLACE FUNCTION public.keep_from_previous_release()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        RETURN NULL;
      END $function$;

CREATE OR REPLACE FUNCTION public.ledger_apply_entry()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        UPDATE ledger_account SET balance_cents = balance_cents + NEW.cents
         WHERE id = NEW.ledger_account_id RETURNING balance_cents INTO NEW.balance_after;
        RETURN NEW;
      END $function$;

CREATE OR REPLACE FUNCTION public.ledger_apply_hold()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        IF TG_OP = 'INSERT' THEN
          IF NEW.state <> 'active' THEN
            RAISE EXCEPTION 'a hold begins active' USING ERRCODE = '23514';
          END IF;
          UPDATE ledger_account SET held_cents = held_cents + NEW.cents WHERE id = NEW.ledger_account_id;
        ELSE
          IF OLD.state <> 'active' OR NEW.state = 'active'
             OR (NEW.id, NEW.ledger_account_id, NEW.cents, NEW.held_at)
                <> (OLD.id, OLD.ledger_account_id, OLD.cents, OLD.held_at) THEN
            RAISE EXCEPTION 'a hold ends once and changes in nothing else' USING ERRCODE = '23514';
          END IF;
          UPDATE ledger_account SET held_cents = held_cents - OLD.cents WHERE id = OLD.ledger_account_id;
        END IF;
        RETURN NEW;
      END $function$;

CREATE OR REPLACE FUNCTION public.ledger_assert_zero()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      DECLARE
        own bigint := CASE TG_TABLE_NAME WHEN 'ledger_entry' THEN (to_jsonb(NEW) ->> 'transaction_id')::bigint
                           ELSE (to_jsonb(NEW) ->> 'id')::bigint END;
        total numeric;
        entries integer;
      BEGIN
        SELECT coalesce(sum(cents), 0), count(*) INTO total, entries FROM ledger_entry WHERE transaction_id = own;
        IF total <> 0 OR entries < 2 THEN
          RAISE EXCEPTION 'transaction % has % entries, which sum to % cents', own, entries, total
            USING ERRCODE = '23514';
        END IF;
        RETURN NULL;
      END $function$;

CREATE OR REPLACE FUNCTION public.ledger_refuse()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        RAISE EXCEPTION '% of % is refused: the ledger is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = '55000';
      END $function$;

CREATE OR REPLACE FUNCTION public.mandate_give_back()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        UPDATE mandate_month SET cents = mandate_month.cents - NEW.cents FROM registration_order AS ordered
         WHERE ordered.id = NEW.id AND mandate_month.mandate_id = ordered.mandate_id
           AND month = mandate_month_of(ordered.approved_at);
        RETURN NULL;
      END $function$;

CREATE OR REPLACE FUNCTION public.mandate_month_of(at timestamp with time zone)
 RETURNS date
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (date_trunc('month'::text, (at AT TIME ZONE 'Australia/Brisbane'::text)))::date;

CREATE OR REPLACE FUNCTION public.mandate_spend()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        INSERT INTO mandate_month AS known (mandate_id, month, cents)
        SELECT NEW.mandate_id, mandate_month_of(NEW.approved_at), NEW.total_cents WHERE NEW.mandate_id IS NOT NULL
        ON CONFLICT (mandate_id, month) DO UPDATE SET cents = known.cents + excluded.cents;
        RETURN NULL;
      END $function$;

CREATE OR REPLACE FUNCTION public.queue_bulk_check()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        -- By then the previous release has noticed that it cannot renew its lease, and asks no more.
        INSERT INTO work (kind, key, lane, due_at) VALUES ('bulk-check', NEW.id::text, NEW.caller, NEW.leased_until)
        ON CONFLICT DO NOTHING;
        RETURN NULL;
      END $function$;

CREATE OR REPLACE FUNCTION public.raise_auth_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        UPDATE auth_version SET version = version + 1;
        RETURN NULL;
      END $function$;

CREATE OR REPLACE FUNCTION public.raise_auth_version_for_tokens()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        IF EXISTS (SELECT FROM gone WHERE expires_at > now() AND revoked IS NULL) THEN
          UPDATE auth_version SET version = version + 1;
        END IF;
        RETURN NULL;
      END $function$;

CREATE OR REPLACE FUNCTION public.refuse_older_release()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      DECLARE
        name text := current_setting('application_name');
        own integer := coalesce(substring(name FROM '^bowerbird/([0-9]+)')::integer, 1);
        oldest_served integer;
      BEGIN
        SELECT oldest INTO oldest_served FROM schema_epoch;
        IF own < oldest_served THEN
          RAISE EXCEPTION 'this release is too old for the database (epoch %, and % is the oldest that works on it)',
            own, oldest_served USING ERRCODE = '55000', HINT = format('Stop it, and start the newer release. By hand: SET application_name = ''bowerbird/%s''.', oldest_served);
        END IF;
        RETURN NULL;
      END $function$;

CREATE TABLE account (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  email text NOT NULL,
  email_verified boolean DEFAULT false NOT NULL,
  name text NOT NULL,
  image text,
  tier text DEFAULT 'member'::text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  two_factor_enabled boolean DEFAULT false,
  disabled_at timestamp with time zone,
  CONSTRAINT account_email_check CHECK (((email = lower(email)) AND (length(email) <= 254))),
  CONSTRAINT account_email_key UNIQUE (email),
  CONSTRAINT account_pkey PRIMARY KEY (id),
  CONSTRAINT account_tier_check CHECK ((tier = ANY (ARRAY['member'::text, 'starter'::text, 'pro'::text, 'firehose'::text])))
);

CREATE TABLE account_attempt (
  key character varying(255) NOT NULL,
  points integer DEFAULT 0 NOT NULL,
  expire bigint,
  CONSTRAINT account_attempt_pkey PRIMARY KEY (key)
);

CREATE TABLE account_credential (
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
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT account_credential_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT account_credential_account_id_provider_key UNIQUE (account_id, provider),
  CONSTRAINT account_credential_pkey PRIMARY KEY (id)
);

CREATE TABLE account_link (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  identifier text NOT NULL,
  value text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT account_link_pkey PRIMARY KEY (id)
);

CREATE TABLE account_passkey (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  account_id uuid NOT NULL,
  name text,
  credential_id text NOT NULL,
  public_key text NOT NULL,
  counter double precision NOT NULL,
  device_type text NOT NULL,
  backed_up boolean NOT NULL,
  transports text,
  aaguid text,
  created_at timestamp with time zone,
  CONSTRAINT account_passkey_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT account_passkey_credential_id_check CHECK ((length(credential_id) <= 2000)),
  CONSTRAINT account_passkey_credential_id_key UNIQUE (credential_id),
  CONSTRAINT account_passkey_pkey PRIMARY KEY (id)
);

CREATE TABLE account_second_factor (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  account_id uuid NOT NULL,
  secret text NOT NULL,
  backup_codes text NOT NULL,
  verified boolean DEFAULT true,
  failed_verification_count integer DEFAULT 0,
  locked_until timestamp with time zone,
  CONSTRAINT account_second_factor_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT account_second_factor_account_id_key UNIQUE (account_id),
  CONSTRAINT account_second_factor_pkey PRIMARY KEY (id)
);

CREATE TABLE account_session (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  account_id uuid NOT NULL,
  token text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  ip_address text,
  user_agent text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  proven_at timestamp with time zone DEFAULT now(),
  CONSTRAINT account_session_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT account_session_pkey PRIMARY KEY (id),
  CONSTRAINT account_session_token_key UNIQUE (token)
);

CREATE TABLE account_sign_up (
  email text NOT NULL,
  token_hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT account_sign_up_email_check CHECK (((email = lower(email)) AND (length(email) <= 254))),
  CONSTRAINT account_sign_up_pkey PRIMARY KEY (email),
  CONSTRAINT account_sign_up_token_hash_key UNIQUE (token_hash)
);

CREATE TABLE agreement_text (
  hash text NOT NULL,
  id text NOT NULL,
  version text NOT NULL,
  text text NOT NULL,
  CONSTRAINT agreement_text_id_version_key UNIQUE (id, version),
  CONSTRAINT agreement_text_pkey PRIMARY KEY (hash)
);

CREATE TABLE api_key (
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
  networks cidr[] DEFAULT '{}'::cidr[] NOT NULL,
  CONSTRAINT api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT api_key_account_id_submission_key UNIQUE (account_id, submission),
  CONSTRAINT api_key_hash_check CHECK ((length(hash) = 32)),
  CONSTRAINT api_key_hash_key UNIQUE (hash),
  CONSTRAINT api_key_kind_check CHECK ((kind = ANY (ARRAY['live'::text, 'test'::text]))),
  CONSTRAINT api_key_name_check CHECK (((length(name) >= 1) AND (length(name) <= 60))),
  CONSTRAINT api_key_networks_check CHECK ((cardinality(networks) <= 10)),
  CONSTRAINT api_key_pkey PRIMARY KEY (id),
  CONSTRAINT api_key_scopes_check CHECK (((scopes <@ ARRAY['read'::text, 'webhooks'::text, 'export'::text, 'orders:read'::text, 'orders:quote'::text, 'orders:place'::text]) AND (cardinality(scopes) > 0)))
);

CREATE TABLE approval_challenge (
  order_id uuid NOT NULL,
  challenge bytea NOT NULL,
  terms bytea NOT NULL,
  asked_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  proof jsonb,
  CONSTRAINT approval_challenge_check CHECK (((used_at IS NULL) = (proof IS NULL))),
  CONSTRAINT approval_challenge_order_id_fkey FOREIGN KEY (order_id) REFERENCES registration_order(id),
  CONSTRAINT approval_challenge_pkey PRIMARY KEY (order_id)
);

CREATE TABLE approval_link (
  order_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  terms bytea NOT NULL,
  sent_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT approval_link_order_id_fkey FOREIGN KEY (order_id) REFERENCES registration_order(id),
  CONSTRAINT approval_link_pkey PRIMARY KEY (order_id),
  CONSTRAINT approval_link_token_hash_key UNIQUE (token_hash)
);

CREATE TABLE archive_service (
  singleton boolean DEFAULT true NOT NULL,
  next_turn_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  rest_until timestamp with time zone,
  rest_reason text,
  failures_in_row integer DEFAULT 0 NOT NULL,
  last_asked_at timestamp with time zone,
  last_answered_at timestamp with time zone,
  CONSTRAINT archive_service_pkey PRIMARY KEY (singleton),
  CONSTRAINT archive_service_singleton_check CHECK (singleton)
);

CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  actor text NOT NULL,
  action text NOT NULL,
  subject text NOT NULL,
  reason text NOT NULL,
  "from" text,
  CONSTRAINT audit_log_action_check CHECK (((length(action) >= 1) AND (length(action) <= 100))),
  CONSTRAINT audit_log_actor_check CHECK (((length(actor) >= 1) AND (length(actor) <= 200))),
  CONSTRAINT audit_log_from_check CHECK ((length("from") <= 100)),
  CONSTRAINT audit_log_pkey PRIMARY KEY (id),
  CONSTRAINT audit_log_reason_check CHECK ((length(reason) <= 600)),
  CONSTRAINT audit_log_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 300)))
);

CREATE TABLE auth_version (
  singleton boolean DEFAULT true NOT NULL,
  version bigint DEFAULT 0 NOT NULL,
  CONSTRAINT auth_version_pkey PRIMARY KEY (singleton),
  CONSTRAINT auth_version_singleton_check CHECK (singleton)
);

CREATE TABLE bulk_check (
  id uuid NOT NULL,
  token_hash bytea NOT NULL,
  caller text COLLATE "C" NOT NULL,
  tier text NOT NULL,
  reservation text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  leased_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  is_done boolean DEFAULT false NOT NULL,
  leased_by uuid,
  account_id uuid,
  key_id uuid,
  is_delivered boolean DEFAULT true NOT NULL,
  CONSTRAINT bulk_check_pkey PRIMARY KEY (id),
  CONSTRAINT bulk_check_token_hash_key UNIQUE (token_hash)
);

CREATE TABLE bulk_check_name (
  bulk_check uuid NOT NULL,
  place smallint NOT NULL,
  domain text COLLATE "C" NOT NULL,
  answer jsonb,
  error_code text,
  error_message text,
  failures smallint DEFAULT 0 NOT NULL,
  CONSTRAINT bulk_check_name_bulk_check_fkey FOREIGN KEY (bulk_check) REFERENCES bulk_check(id) ON DELETE CASCADE,
  CONSTRAINT bulk_check_name_check CHECK (((answer IS NULL) OR (error_code IS NULL))),
  CONSTRAINT bulk_check_name_pkey PRIMARY KEY (bulk_check, place)
);

CREATE TABLE card_dispute (
  id text NOT NULL,
  payment text NOT NULL,
  account_id uuid,
  cents bigint NOT NULL,
  status text NOT NULL,
  opened_at timestamp with time zone NOT NULL,
  cleared_at timestamp with time zone,
  CONSTRAINT card_dispute_payment_fkey FOREIGN KEY (payment) REFERENCES card_payment(id),
  CONSTRAINT card_dispute_pkey PRIMARY KEY (id)
);

CREATE TABLE card_payment (
  id text NOT NULL,
  booked_at timestamp with time zone,
  top_up_id uuid,
  waiting jsonb DEFAULT '[]'::jsonb NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  CONSTRAINT card_payment_pkey PRIMARY KEY (id),
  CONSTRAINT card_payment_top_up_id_fkey FOREIGN KEY (top_up_id) REFERENCES top_up(id),
  CONSTRAINT card_payment_top_up_id_key UNIQUE (top_up_id)
);

CREATE TABLE card_refund (
  id uuid NOT NULL,
  top_up_id uuid NOT NULL,
  idempotency_key text NOT NULL,
  cents bigint NOT NULL,
  state text DEFAULT 'asked'::text NOT NULL,
  asked_by text NOT NULL,
  asked_at timestamp with time zone NOT NULL,
  CONSTRAINT card_refund_cents_check CHECK ((cents > 0)),
  CONSTRAINT card_refund_pkey PRIMARY KEY (id),
  CONSTRAINT card_refund_state_check CHECK ((state = ANY (ARRAY['asked'::text, 'sent'::text, 'failed'::text]))),
  CONSTRAINT card_refund_top_up_id_fkey FOREIGN KEY (top_up_id) REFERENCES top_up(id),
  CONSTRAINT card_refund_top_up_id_idempotency_key_key UNIQUE (top_up_id, idempotency_key)
);

CREATE TABLE dataset (
  singleton boolean DEFAULT true NOT NULL,
  available_records bigint DEFAULT 0 NOT NULL,
  last_event bigint DEFAULT 0 NOT NULL,
  refreshed timestamp with time zone,
  last_event_at timestamp with time zone,
  offers_left bigint DEFAULT 0 NOT NULL,
  offers_joined bigint DEFAULT 0 NOT NULL,
  moves_counted_from timestamp with time zone DEFAULT 'infinity'::timestamp with time zone NOT NULL,
  first_event bigint DEFAULT 1 NOT NULL,
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
  dropped_at timestamp with time zone,
  available boolean DEFAULT false NOT NULL,
  hidden boolean DEFAULT false NOT NULL,
  checked_at timestamp with time zone,
  state text DEFAULT 'unconfirmed'::text NOT NULL,
  confirmed_by text,
  registry_state text,
  free_seen_at timestamp with time zone,
  list_kind text,
  list_source text,
  listed_at timestamp with time zone,
  purge_at timestamp with time zone,
  news_until timestamp with time zone,
  announced boolean DEFAULT false NOT NULL,
  ask_at timestamp with time zone,
  purge_approximate boolean DEFAULT false NOT NULL,
  words integer[],
  CONSTRAINT domain_archive_captures_check CHECK ((archive_captures >= 0)),
  CONSTRAINT domain_archive_status_check CHECK ((archive_status = ANY (ARRAY['pending'::text, 'none'::text, 'ok'::text, 'error'::text]))),
  CONSTRAINT domain_available_check CHECK ((available = (state = 'available'::text))),
  CONSTRAINT domain_check CHECK ((domain = ((name || '.'::text) || tld))),
  CONSTRAINT domain_evidence_check CHECK (((NOT available) OR ((confirmed_by IS NOT NULL) AND (checked_at IS NOT NULL) AND (dropped_at IS NOT NULL)))),
  CONSTRAINT domain_list_kind_check CHECK ((list_kind = ANY (ARRAY['deleted'::text, 'expired'::text]))),
  CONSTRAINT domain_pkey PRIMARY KEY (domain) INCLUDE (available, hidden, wayback, first_seen),
  CONSTRAINT domain_purge_check CHECK (((state <> ALL (ARRAY['listed'::text, 'delisted'::text, 'purged'::text])) OR (purge_at IS NOT NULL))),
  CONSTRAINT domain_registry_state_check CHECK ((registry_state = ANY (ARRAY['registered'::text, 'expired_hold'::text, 'pending_purge'::text, 'pending_delete'::text, 'available'::text, 'reserved'::text, 'declined'::text]))),
  CONSTRAINT domain_state_check CHECK ((state = ANY (ARRAY['unconfirmed'::text, 'listed'::text, 'purged'::text, 'available'::text, 'stale'::text, 'taken'::text, 'rescued'::text, 'delisted'::text]))),
  CONSTRAINT domain_wayback_check CHECK ((wayback >= 0))
) WITH (fillfactor=90, autovacuum_vacuum_scale_factor=0.01);

CREATE TABLE domain_archive (
  domain text COLLATE "C" NOT NULL,
  source text,
  computed_at timestamp with time zone,
  version smallint,
  wayback integer,
  captures integer,
  days integer,
  first_capture date,
  last_capture date,
  active_years smallint,
  longest_gap_days integer,
  days_by_year jsonb,
  failures smallint DEFAULT 0 NOT NULL,
  failure text,
  ask_at timestamp with time zone,
  CONSTRAINT domain_archive_captures_check1 CHECK ((captures >= 0)),
  CONSTRAINT domain_archive_check CHECK ((((computed_at IS NULL) = (source IS NULL)) AND ((computed_at IS NULL) = (days_by_year IS NULL)))),
  CONSTRAINT domain_archive_check1 CHECK (((failures = 0) = (ask_at IS NULL))),
  CONSTRAINT domain_archive_days_check CHECK ((days >= 0)),
  CONSTRAINT domain_archive_failures_check CHECK ((failures >= 0)),
  CONSTRAINT domain_archive_pkey PRIMARY KEY (domain),
  CONSTRAINT domain_archive_source_check CHECK ((source = ANY (ARRAY['archive'::text, 'sandbox'::text]))),
  CONSTRAINT domain_archive_wayback_check CHECK ((wayback >= 0))
);

CREATE TABLE domain_cube (
  first_month date NOT NULL,
  tld text COLLATE "C" NOT NULL,
  length smallint NOT NULL,
  hyphens boolean NOT NULL,
  numbers boolean NOT NULL,
  score integer NOT NULL,
  names integer NOT NULL,
  CONSTRAINT domain_cube_pkey PRIMARY KEY (first_month, tld, length, hyphens, numbers, score)
) WITH (fillfactor=70);

CREATE TABLE domain_event (
  number bigint NOT NULL,
  type text NOT NULL,
  domain text COLLATE "C" NOT NULL,
  occurred_at timestamp with time zone NOT NULL,
  CONSTRAINT domain_event_pkey PRIMARY KEY (number),
  CONSTRAINT domain_event_type_check CHECK ((type = ANY (ARRAY['domain.dropped'::text, 'domain.taken'::text, 'domain.listed'::text, 'domain.rescued'::text, 'domain.purged'::text, 'domain.removed'::text, 'domain.restored'::text, 'domain.delisted'::text])))
);

CREATE TABLE early_taken_rate (
  age_from_minutes integer NOT NULL,
  score_from integer NOT NULL,
  suffix text COLLATE "C" NOT NULL,
  exposure_days double precision NOT NULL,
  taken double precision NOT NULL,
  observed_at timestamp with time zone NOT NULL,
  CONSTRAINT early_taken_rate_exposure_days_check CHECK ((exposure_days >= (0)::double precision)),
  CONSTRAINT early_taken_rate_pkey PRIMARY KEY (age_from_minutes, score_from, suffix),
  CONSTRAINT early_taken_rate_taken_check CHECK ((taken >= (0)::double precision))
);

CREATE TABLE export (
  id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  made_at timestamp with time zone NOT NULL,
  schema_version smallint NOT NULL,
  base text COLLATE "C",
  first_event bigint NOT NULL,
  last_event bigint NOT NULL,
  rows bigint NOT NULL,
  ndjson_sha256 text,
  files jsonb NOT NULL,
  finished_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT export_base_check CHECK (((base IS NULL) = (kind <> 'diff'::text))),
  CONSTRAINT export_events_check CHECK (((first_event >= 1) AND (first_event <= (last_event + 1)))),
  CONSTRAINT export_kind_check CHECK ((kind = ANY (ARRAY['snapshot'::text, 'diff'::text, 'changes'::text]))),
  CONSTRAINT export_pkey PRIMARY KEY (id),
  CONSTRAINT export_rows_check CHECK ((rows >= 0))
);

CREATE TABLE former_site (
  domain text COLLATE "C" NOT NULL,
  state text NOT NULL,
  wanted_at timestamp with time zone,
  next_at timestamp with time zone NOT NULL,
  failures smallint DEFAULT 0 NOT NULL,
  pages jsonb,
  title_words text[] DEFAULT '{}'::text[] NOT NULL,
  CONSTRAINT former_site_pkey PRIMARY KEY (domain),
  CONSTRAINT former_site_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'read'::text, 'removed'::text])))
);

CREATE TABLE former_site_fill (
  singleton boolean DEFAULT true NOT NULL,
  is_complete boolean DEFAULT false NOT NULL,
  after text COLLATE "C" DEFAULT ''::text NOT NULL,
  CONSTRAINT former_site_fill_pkey PRIMARY KEY (singleton),
  CONSTRAINT former_site_fill_singleton_check CHECK (singleton)
);

CREATE TABLE freshness_threshold (
  singleton boolean DEFAULT true NOT NULL,
  steady double precision NOT NULL,
  current double precision NOT NULL,
  adjusted_at timestamp with time zone NOT NULL,
  CONSTRAINT freshness_threshold_current_check CHECK ((current > (0)::double precision)),
  CONSTRAINT freshness_threshold_pkey PRIMARY KEY (singleton),
  CONSTRAINT freshness_threshold_singleton_check CHECK (singleton),
  CONSTRAINT freshness_threshold_steady_check CHECK ((steady > (0)::double precision))
);

CREATE TABLE idempotent_request (
  account_id uuid,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  reference text NOT NULL,
  begun_at timestamp with time zone DEFAULT now() NOT NULL,
  owner text NOT NULL,
  CONSTRAINT idempotent_request_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT idempotent_request_pkey PRIMARY KEY (owner, key)
);

CREATE TABLE import_run (
  fingerprint text NOT NULL,
  source text NOT NULL,
  counts jsonb NOT NULL,
  done text COLLATE "C",
  touched_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT import_run_pkey PRIMARY KEY (fingerprint)
) WITH (fillfactor=50);

CREATE TABLE incident (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  title text NOT NULL,
  words text NOT NULL,
  began_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT incident_ends_after_its_beginning CHECK ((ended_at >= began_at)),
  CONSTRAINT incident_pkey PRIMARY KEY (id)
);

CREATE TABLE job_lease (
  name text NOT NULL,
  holder uuid NOT NULL,
  fence bigint NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT job_lease_fence_key UNIQUE (name, fence),
  CONSTRAINT job_lease_pkey PRIMARY KEY (name)
);

CREATE TABLE job_state (
  name text NOT NULL,
  next_due timestamp with time zone NOT NULL,
  last_run_at timestamp with time zone,
  last_success_at timestamp with time zone,
  failures integer DEFAULT 0 NOT NULL,
  last_error text,
  last_error_at timestamp with time zone,
  cursor jsonb,
  paused_at timestamp with time zone,
  paused_by text,
  pause_reason text,
  wanted_at timestamp with time zone,
  CONSTRAINT job_state_failures_check CHECK ((failures >= 0)),
  CONSTRAINT job_state_pause_check CHECK ((((paused_at IS NULL) = (paused_by IS NULL)) AND ((paused_at IS NULL) = (pause_reason IS NULL)))),
  CONSTRAINT job_state_pkey PRIMARY KEY (name)
);

CREATE TABLE kept_answer (
  asked_at timestamp with time zone NOT NULL,
  took_ms integer NOT NULL,
  text_id integer NOT NULL,
  age_s integer,
  domain text COLLATE "C" NOT NULL
) PARTITION BY RANGE (asked_at);

CREATE TABLE kept_text (
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  digest bytea NOT NULL,
  source text NOT NULL,
  verdict text NOT NULL,
  parser smallint NOT NULL,
  status smallint,
  has_rdap_type boolean NOT NULL,
  shape text,
  text text,
  last_seen_on date NOT NULL,
  CONSTRAINT kept_text_digest_key UNIQUE (digest),
  CONSTRAINT kept_text_pkey PRIMARY KEY (id)
);

CREATE TABLE ledger_account (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text NOT NULL,
  account_id uuid,
  balance_cents bigint DEFAULT 0 NOT NULL,
  held_cents bigint DEFAULT 0 NOT NULL,
  CONSTRAINT ledger_account_check CHECK (((kind <> 'customer'::text) OR (balance_cents >= held_cents))),
  CONSTRAINT ledger_account_held_cents_check CHECK ((held_cents >= 0)),
  CONSTRAINT ledger_account_kind_account_id_key UNIQUE NULLS NOT DISTINCT (kind, account_id),
  CONSTRAINT ledger_account_pkey PRIMARY KEY (id)
);

CREATE TABLE ledger_entry (
  transaction_id bigint NOT NULL,
  ledger_account_id bigint NOT NULL,
  cents bigint NOT NULL,
  balance_after bigint NOT NULL,
  CONSTRAINT ledger_entry_cents_check CHECK ((cents <> 0)),
  CONSTRAINT ledger_entry_ledger_account_id_fkey FOREIGN KEY (ledger_account_id) REFERENCES ledger_account(id),
  CONSTRAINT ledger_entry_pkey PRIMARY KEY (transaction_id, ledger_account_id),
  CONSTRAINT ledger_entry_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES ledger_transaction(id),
  CONSTRAINT ledger_entry_zero TRIGGER DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE ledger_hold (
  id uuid NOT NULL,
  ledger_account_id bigint NOT NULL,
  cents bigint NOT NULL,
  state text DEFAULT 'active'::text NOT NULL,
  held_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT ledger_hold_cents_check CHECK ((cents > 0)),
  CONSTRAINT ledger_hold_check CHECK (((state = 'active'::text) = (ended_at IS NULL))),
  CONSTRAINT ledger_hold_ledger_account_id_fkey FOREIGN KEY (ledger_account_id) REFERENCES ledger_account(id),
  CONSTRAINT ledger_hold_pkey PRIMARY KEY (id),
  CONSTRAINT ledger_hold_state_check CHECK ((state = ANY (ARRAY['active'::text, 'captured'::text, 'released'::text])))
);

CREATE TABLE ledger_transaction (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text NOT NULL,
  source text NOT NULL,
  words text NOT NULL,
  at timestamp with time zone NOT NULL,
  CONSTRAINT ledger_transaction_pkey PRIMARY KEY (id),
  CONSTRAINT ledger_transaction_source_key UNIQUE (source),
  CONSTRAINT ledger_transaction_zero TRIGGER DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE lifecycle_guard (
  singleton boolean DEFAULT true NOT NULL,
  hour timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  flips integer DEFAULT 0 NOT NULL,
  writes_stopped_at timestamp with time zone,
  reason text,
  CONSTRAINT lifecycle_guard_pkey PRIMARY KEY (singleton),
  CONSTRAINT lifecycle_guard_singleton_check CHECK (singleton)
);

CREATE TABLE list_fetch (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  address text NOT NULL,
  kind text NOT NULL,
  started_at timestamp with time zone NOT NULL,
  finished_at timestamp with time zone,
  http_status smallint,
  etag text,
  last_modified text,
  bytes integer,
  header text,
  rows integer,
  sha256 text,
  rows_sha256 text,
  rejected integer,
  ahead integer,
  outcome text,
  detail text,
  newest_day date,
  is_accepted boolean DEFAULT false NOT NULL,
  CONSTRAINT finished_with_outcome CHECK (((finished_at IS NULL) = (outcome IS NULL))),
  CONSTRAINT list_fetch_kind_check CHECK ((kind = ANY (ARRAY['deleted'::text, 'expired'::text]))),
  CONSTRAINT list_fetch_outcome_check CHECK ((outcome = ANY (ARRAY['imported'::text, 'unchanged'::text, 'alarm'::text, 'failed'::text]))),
  CONSTRAINT list_fetch_pkey PRIMARY KEY (id)
);

CREATE TABLE list_secret (
  is_only boolean DEFAULT true NOT NULL,
  secret text NOT NULL,
  CONSTRAINT list_secret_is_only_check CHECK (is_only),
  CONSTRAINT list_secret_pkey PRIMARY KEY (is_only)
);

CREATE TABLE mandate (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  registrant_id uuid NOT NULL,
  holder bytea NOT NULL,
  order_cents bigint NOT NULL,
  month_cents bigint NOT NULL,
  suffixes text[] NOT NULL,
  key_ids uuid[] NOT NULL,
  app_ids text[] NOT NULL,
  takes_unknown boolean NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  made_at timestamp with time zone NOT NULL,
  accepted jsonb NOT NULL,
  accepted_at timestamp with time zone NOT NULL,
  accepted_by text NOT NULL,
  accepted_from text,
  CONSTRAINT mandate_check CHECK ((month_cents >= order_cents)),
  CONSTRAINT mandate_check1 CHECK (((cardinality(key_ids) + cardinality(app_ids)) > 0)),
  CONSTRAINT mandate_order_cents_check CHECK ((order_cents > 0)),
  CONSTRAINT mandate_pkey PRIMARY KEY (id),
  CONSTRAINT mandate_suffixes_check CHECK ((cardinality(suffixes) > 0))
);

CREATE TABLE mandate_month (
  mandate_id uuid NOT NULL,
  month date NOT NULL,
  cents bigint NOT NULL,
  CONSTRAINT mandate_month_pkey PRIMARY KEY (mandate_id, month)
) WITH (fillfactor=50);

CREATE TABLE name_hold (
  domain text COLLATE "C" NOT NULL,
  what text NOT NULL,
  source text NOT NULL,
  as_of date NOT NULL,
  CONSTRAINT name_hold_pkey PRIMARY KEY (domain, source)
);

CREATE TABLE network_rule (
  network text NOT NULL,
  verdict text NOT NULL,
  reason text NOT NULL,
  set_by text NOT NULL,
  set_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  CONSTRAINT network_rule_pkey PRIMARY KEY (network),
  CONSTRAINT network_rule_verdict_check CHECK ((verdict = ANY (ARRAY['block'::text, 'allow'::text])))
);

CREATE TABLE oauth_access_token (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  token text NOT NULL,
  client_id text NOT NULL,
  account_id uuid NOT NULL,
  session_id uuid,
  authorization_code_id text,
  refresh_id uuid,
  scopes text NOT NULL,
  resources text,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  revoked timestamp with time zone,
  CONSTRAINT oauth_access_token_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT oauth_access_token_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_client(client_id) ON DELETE CASCADE,
  CONSTRAINT oauth_access_token_pkey PRIMARY KEY (id),
  CONSTRAINT oauth_access_token_refresh_id_fkey FOREIGN KEY (refresh_id) REFERENCES oauth_refresh_token(id) ON DELETE CASCADE,
  CONSTRAINT oauth_access_token_session_id_fkey FOREIGN KEY (session_id) REFERENCES account_session(id) ON DELETE SET NULL,
  CONSTRAINT oauth_access_token_token_check CHECK ((length(token) = 64)),
  CONSTRAINT oauth_access_token_token_key UNIQUE (token)
);

CREATE TABLE oauth_client (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  client_id text NOT NULL,
  name text,
  redirect_uris text NOT NULL,
  token_endpoint_auth_method text NOT NULL,
  application_type text,
  grant_types text NOT NULL,
  response_types text NOT NULL,
  scopes text NOT NULL,
  client_discovery_id text,
  client_credentials_scopes text DEFAULT '[]'::text NOT NULL,
  disabled boolean DEFAULT false NOT NULL,
  dpop_bound_access_tokens boolean DEFAULT false NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT oauth_client_client_id_key UNIQUE (client_id),
  CONSTRAINT oauth_client_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  CONSTRAINT oauth_client_pkey PRIMARY KEY (id),
  CONSTRAINT oauth_client_redirect_uris_check CHECK ((length(redirect_uris) <= 8192)),
  CONSTRAINT oauth_client_token_endpoint_auth_method_check CHECK ((token_endpoint_auth_method = 'none'::text))
);

CREATE TABLE oauth_consent (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  account_id uuid NOT NULL,
  client_id text NOT NULL,
  scopes text NOT NULL,
  resources text,
  requested_user_info_claims text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT oauth_consent_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT oauth_consent_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_client(client_id) ON DELETE CASCADE,
  CONSTRAINT oauth_consent_pkey PRIMARY KEY (id)
);

CREATE TABLE oauth_refresh_token (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  token text NOT NULL,
  client_id text NOT NULL,
  account_id uuid NOT NULL,
  session_id uuid,
  authorization_code_id text,
  scopes text NOT NULL,
  resources text,
  auth_time timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  revoked timestamp with time zone,
  rotated_at timestamp with time zone,
  rotation_replay_response text,
  rotation_replay_expires_at timestamp with time zone,
  CONSTRAINT oauth_refresh_token_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT oauth_refresh_token_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_client(client_id) ON DELETE CASCADE,
  CONSTRAINT oauth_refresh_token_pkey PRIMARY KEY (id),
  CONSTRAINT oauth_refresh_token_session_id_fkey FOREIGN KEY (session_id) REFERENCES account_session(id) ON DELETE SET NULL,
  CONSTRAINT oauth_refresh_token_token_check CHECK ((length(token) = 64)),
  CONSTRAINT oauth_refresh_token_token_key UNIQUE (token)
);

CREATE TABLE oauth_resource (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  identifier text NOT NULL,
  name text NOT NULL,
  access_token_ttl integer,
  refresh_token_ttl integer,
  signing_algorithm text,
  signing_key_id text,
  allowed_scopes text,
  custom_claims jsonb,
  dpop_bound_access_tokens_required boolean DEFAULT false NOT NULL,
  disabled boolean DEFAULT false NOT NULL,
  policy_version integer DEFAULT 1 NOT NULL,
  metadata jsonb,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT oauth_resource_identifier_key UNIQUE (identifier),
  CONSTRAINT oauth_resource_pkey PRIMARY KEY (id)
);

CREATE TABLE operator_challenge (
  challenge bytea NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  CONSTRAINT operator_challenge_pkey PRIMARY KEY (challenge)
);

CREATE TABLE operator_credit (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  cents bigint NOT NULL,
  reason text NOT NULL,
  asked_by text NOT NULL,
  asked_at timestamp with time zone NOT NULL,
  booked_by text,
  booked_at timestamp with time zone,
  CONSTRAINT operator_credit_cents_check CHECK ((cents <> 0)),
  CONSTRAINT operator_credit_pkey PRIMARY KEY (id)
);

CREATE TABLE operator_import (
  id uuid NOT NULL,
  file text NOT NULL,
  bytes bigint NOT NULL,
  dry_run boolean NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  started_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  touched_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  state text DEFAULT 'running'::text NOT NULL,
  step text DEFAULT 'waiting'::text NOT NULL,
  rows bigint DEFAULT 0 NOT NULL,
  read_bytes bigint DEFAULT 0 NOT NULL,
  report jsonb,
  problem text,
  rejects bytea,
  CONSTRAINT operator_import_pkey PRIMARY KEY (id),
  CONSTRAINT operator_import_state_check CHECK ((state = ANY (ARRAY['running'::text, 'done'::text, 'failed'::text])))
);

CREATE TABLE operator_passkey (
  id text NOT NULL,
  key_hash text NOT NULL,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  added_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT operator_passkey_pkey PRIMARY KEY (id)
);

CREATE TABLE operator_session (
  token_hash bytea NOT NULL,
  operator text NOT NULL,
  key_hash text NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  CONSTRAINT operator_session_pkey PRIMARY KEY (token_hash),
  CONSTRAINT operator_session_token_hash_check CHECK ((length(token_hash) = 32))
);

CREATE TABLE order_notice (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  order_id uuid NOT NULL,
  account_id uuid NOT NULL,
  type text NOT NULL,
  state text NOT NULL,
  reason text,
  at timestamp with time zone NOT NULL,
  is_handed_over boolean DEFAULT false NOT NULL,
  due_at timestamp with time zone NOT NULL,
  failures smallint DEFAULT 0 NOT NULL,
  is_seen boolean DEFAULT false NOT NULL,
  CONSTRAINT order_notice_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT order_notice_order_id_fkey FOREIGN KEY (order_id) REFERENCES registration_order(id),
  CONSTRAINT order_notice_pkey PRIMARY KEY (id)
);

CREATE TABLE ordering_place (
  is_only boolean DEFAULT true NOT NULL,
  place text NOT NULL,
  written_by xid DEFAULT (pg_current_xact_id())::xid NOT NULL,
  restored_at timestamp with time zone,
  CONSTRAINT ordering_place_is_only_check CHECK (is_only),
  CONSTRAINT ordering_place_pkey PRIMARY KEY (is_only)
);

CREATE TABLE ordering_stop (
  reason text NOT NULL,
  words text NOT NULL,
  since timestamp with time zone NOT NULL,
  registrars text[] DEFAULT '{}'::text[] NOT NULL,
  CONSTRAINT ordering_stop_pkey PRIMARY KEY (reason)
);

CREATE TABLE packed_answer (
  first_at timestamp with time zone NOT NULL,
  last_at timestamp with time zone NOT NULL,
  domains text[] COLLATE "C" NOT NULL,
  asked_at timestamp with time zone[] NOT NULL,
  took_ms integer[] NOT NULL,
  text_id integer[] NOT NULL,
  age_s integer[] NOT NULL
) WITH (toast_tuple_target=128);

CREATE TABLE payment_event (
  id text NOT NULL,
  subscription text NOT NULL,
  account_id uuid NOT NULL,
  happened_at timestamp with time zone NOT NULL,
  received_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  outcome text NOT NULL,
  CONSTRAINT payment_event_id_check CHECK ((length(id) <= 255)),
  CONSTRAINT payment_event_outcome_check CHECK ((outcome = ANY (ARRAY['applied'::text, 'outdated'::text, 'no_account'::text, 'other_subscription'::text]))),
  CONSTRAINT payment_event_pkey PRIMARY KEY (id)
);

CREATE TABLE payment_subscription (
  account_id uuid NOT NULL,
  subscription text NOT NULL,
  event_id text NOT NULL,
  happened_at timestamp with time zone NOT NULL,
  is_ended boolean NOT NULL,
  tier text,
  CONSTRAINT payment_subscription_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT payment_subscription_pkey PRIMARY KEY (account_id, subscription),
  CONSTRAINT payment_subscription_tier_check CHECK ((tier = ANY (ARRAY['member'::text, 'starter'::text, 'pro'::text, 'firehose'::text])))
);

CREATE TABLE question_failure (
  domain text COLLATE "C" NOT NULL,
  failures integer NOT NULL,
  failed_at timestamp with time zone NOT NULL,
  CONSTRAINT question_failure_failures_check CHECK ((failures > 0)),
  CONSTRAINT question_failure_pkey PRIMARY KEY (domain)
);

CREATE TABLE receipt (
  number bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  transaction_id bigint NOT NULL,
  account_id uuid NOT NULL,
  seller jsonb NOT NULL,
  CONSTRAINT receipt_pkey PRIMARY KEY (number),
  CONSTRAINT receipt_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES ledger_transaction(id),
  CONSTRAINT receipt_transaction_id_key UNIQUE (transaction_id)
);

CREATE TABLE recheck (
  domain text COLLATE "C" NOT NULL,
  ask_at timestamp with time zone NOT NULL,
  checked_at timestamp with time zone NOT NULL,
  offered boolean DEFAULT true NOT NULL,
  CONSTRAINT recheck_pkey PRIMARY KEY (domain)
);

CREATE TABLE recheck_hour (
  hour timestamp with time zone NOT NULL,
  asked integer NOT NULL,
  taken integer NOT NULL,
  expected_taken double precision NOT NULL,
  CONSTRAINT recheck_hour_asked_check CHECK ((asked >= 0)),
  CONSTRAINT recheck_hour_expected_taken_check CHECK ((expected_taken >= (0)::double precision)),
  CONSTRAINT recheck_hour_pkey PRIMARY KEY (hour),
  CONSTRAINT recheck_hour_taken_check CHECK ((taken >= 0))
);

CREATE TABLE record_budget (
  caller text COLLATE "C" NOT NULL,
  period text NOT NULL,
  minute_start timestamp with time zone NOT NULL,
  minute_used integer NOT NULL,
  period_start timestamp with time zone NOT NULL,
  period_used integer NOT NULL,
  granted integer NOT NULL,
  reservations jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT record_budget_period_check CHECK ((period = ANY (ARRAY['minute'::text, 'hour'::text, 'month'::text]))),
  CONSTRAINT record_budget_pkey PRIMARY KEY (caller, period)
) WITH (fillfactor=50);

CREATE TABLE registrant_profile (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  sealed bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT registrant_profile_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT registrant_profile_pkey PRIMARY KEY (id)
);

CREATE TABLE registrar_exchange (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  registrar text NOT NULL,
  cltrid text COLLATE "C",
  command text NOT NULL,
  sent_at timestamp with time zone NOT NULL,
  took_ms integer NOT NULL,
  result text NOT NULL,
  request text NOT NULL,
  reply text,
  CONSTRAINT registrar_exchange_pkey PRIMARY KEY (id)
);

CREATE TABLE registrar_finding (
  registrar text NOT NULL,
  kind text NOT NULL,
  subject text COLLATE "C" NOT NULL,
  words text NOT NULL,
  found_at timestamp with time zone NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  CONSTRAINT registrar_finding_pkey PRIMARY KEY (registrar, kind, subject)
);

CREATE TABLE registrar_state (
  registrar text NOT NULL,
  balance_cents bigint,
  balance_at timestamp with time zone,
  surplus_cents bigint,
  prices_at timestamp with time zone,
  polled_at timestamp with time zone,
  messages_read integer DEFAULT 0 NOT NULL,
  reconciled_at timestamp with time zone,
  reconciled_place text,
  reconciled_names integer DEFAULT 0 NOT NULL,
  CONSTRAINT registrar_state_pkey PRIMARY KEY (registrar)
);

CREATE TABLE registration_attempt (
  id uuid NOT NULL,
  order_id uuid NOT NULL,
  registrar text NOT NULL,
  sealed bytea NOT NULL,
  cltrid text NOT NULL,
  sent_at timestamp with time zone NOT NULL,
  sends smallint DEFAULT 1 NOT NULL,
  none_answers smallint DEFAULT 0 NOT NULL,
  asked_at timestamp with time zone,
  asks integer DEFAULT 0 NOT NULL,
  decided text,
  ended_at timestamp with time zone,
  ended_as text,
  none_at timestamp with time zone,
  cancel_sent_at timestamp with time zone,
  executed_late_at timestamp with time zone,
  CONSTRAINT registration_attempt_cltrid_key UNIQUE (cltrid),
  CONSTRAINT registration_attempt_decided_check CHECK ((decided = ANY (ARRAY['done'::text, 'refused'::text]))),
  CONSTRAINT registration_attempt_order_id_fkey FOREIGN KEY (order_id) REFERENCES registration_order(id),
  CONSTRAINT registration_attempt_pkey PRIMARY KEY (id),
  CONSTRAINT registration_attempt_sends_check CHECK (((sends >= 1) AND (sends <= 2)))
);

CREATE TABLE registration_order (
  id uuid NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id uuid NOT NULL,
  idempotency_key text NOT NULL,
  request_hash bytea NOT NULL,
  domain text COLLATE "C" NOT NULL,
  years smallint NOT NULL,
  registrant_id uuid NOT NULL,
  registrar text NOT NULL,
  total_cents bigint NOT NULL,
  gst_cents bigint NOT NULL,
  registrar_cents bigint NOT NULL,
  agreements jsonb NOT NULL,
  accepted jsonb,
  is_drop boolean NOT NULL,
  state text NOT NULL,
  placed_by text NOT NULL,
  placed_at timestamp with time zone NOT NULL,
  approved_by text,
  approved_from text,
  approved_at timestamp with time zone,
  lapses_at timestamp with time zone NOT NULL,
  settled_at timestamp with time zone,
  expires_at timestamp with time zone,
  reason text,
  changed_at timestamp with time zone NOT NULL,
  sealed bytea,
  renews uuid,
  reminded_days smallint,
  auto_renew jsonb,
  cancel_until timestamp with time zone,
  cancel_asked_at timestamp with time zone,
  name_servers text[] DEFAULT '{}'::text[] NOT NULL,
  mandate_id uuid,
  approved_terms bytea,
  wished_servers text[],
  CONSTRAINT registration_order_account_id_idempotency_key_key UNIQUE (account_id, idempotency_key),
  CONSTRAINT registration_order_check CHECK (((gst_cents >= 0) AND (gst_cents <= total_cents))),
  CONSTRAINT registration_order_number_key UNIQUE (number),
  CONSTRAINT registration_order_pkey PRIMARY KEY (id),
  CONSTRAINT registration_order_registrar_cents_check CHECK ((registrar_cents >= 0)),
  CONSTRAINT registration_order_renews_fkey FOREIGN KEY (renews) REFERENCES registration_order(id),
  CONSTRAINT registration_order_total_cents_check CHECK ((total_cents > 0)),
  CONSTRAINT registration_order_years_check CHECK (((years >= 1) AND (years <= 5)))
);

CREATE TABLE registry_answer (
  domain text COLLATE "C" NOT NULL,
  state text NOT NULL,
  source text NOT NULL,
  checked_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  registered_at timestamp with time zone,
  message text,
  CONSTRAINT registry_answer_message_check CHECK ((length(message) <= 200)),
  CONSTRAINT registry_answer_pkey PRIMARY KEY (domain),
  CONSTRAINT registry_answer_source_check CHECK ((source = ANY (ARRAY['rdap'::text, 'sandbox'::text, 'availability_service'::text, 'registrar'::text]))),
  CONSTRAINT registry_answer_state_check CHECK ((state = ANY (ARRAY['registered'::text, 'expired_hold'::text, 'pending_purge'::text, 'pending_delete'::text, 'available'::text, 'reserved'::text, 'declined'::text])))
);

CREATE TABLE registry_health (
  source text NOT NULL,
  address text NOT NULL,
  canary text,
  canary_at timestamp with time zone,
  open_until timestamp with time zone,
  last_answered_at timestamp with time zone,
  CONSTRAINT registry_health_canary_check CHECK ((canary = ANY (ARRAY['ok'::text, 'failed'::text]))),
  CONSTRAINT registry_health_pkey PRIMARY KEY (source, address),
  CONSTRAINT registry_health_source_check CHECK ((source = ANY (ARRAY['rdap'::text, 'sandbox'::text, 'availability_service'::text])))
);

CREATE TABLE registry_pace (
  singleton boolean DEFAULT true NOT NULL,
  full_at timestamp with time zone DEFAULT now() NOT NULL,
  version bigint DEFAULT 0 NOT NULL,
  line jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT registry_pace_pkey PRIMARY KEY (singleton),
  CONSTRAINT registry_pace_singleton_check CHECK (singleton)
);

CREATE TABLE registry_pause (
  source text NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT registry_pause_pkey PRIMARY KEY (source),
  CONSTRAINT registry_pause_source_check CHECK ((source = ANY (ARRAY['rdap'::text, 'sandbox'::text, 'availability_service'::text])))
);

CREATE TABLE registry_wording (
  compared text NOT NULL,
  text text NOT NULL,
  source text NOT NULL,
  added_by text NOT NULL,
  added_at timestamp with time zone NOT NULL,
  meaning text DEFAULT 'not_found'::text NOT NULL,
  CONSTRAINT registry_wording_pkey PRIMARY KEY (compared)
);

CREATE TABLE resumed_writes (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  stopped_at timestamp with time zone NOT NULL,
  reason text NOT NULL,
  flips integer NOT NULL,
  resumed_at timestamp with time zone NOT NULL,
  resumed_by text NOT NULL,
  CONSTRAINT resumed_writes_pkey PRIMARY KEY (id),
  CONSTRAINT resumed_writes_resumed_by_check CHECK (((length(resumed_by) >= 1) AND (length(resumed_by) <= 100)))
);

CREATE TABLE schema_epoch (
  singleton boolean DEFAULT true NOT NULL,
  epoch integer NOT NULL,
  oldest integer NOT NULL,
  CONSTRAINT schema_epoch_check CHECK ((oldest <= epoch)),
  CONSTRAINT schema_epoch_pkey PRIMARY KEY (singleton),
  CONSTRAINT schema_epoch_singleton_check CHECK (singleton)
);

CREATE TABLE service_minute (
  minute timestamp with time zone NOT NULL,
  subject text COLLATE "C" NOT NULL,
  requests integer NOT NULL,
  failures integer NOT NULL,
  durations integer[] NOT NULL,
  CONSTRAINT service_minute_check CHECK (((failures >= 0) AND (failures <= requests))),
  CONSTRAINT service_minute_pkey PRIMARY KEY (minute, subject),
  CONSTRAINT service_minute_requests_check CHECK ((requests >= 0))
) WITH (fillfactor=70);

CREATE TABLE shortlist_name (
  account_id uuid NOT NULL,
  domain text COLLATE "C" NOT NULL,
  added_at timestamp with time zone NOT NULL,
  CONSTRAINT shortlist_name_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT shortlist_name_pkey PRIMARY KEY (account_id, domain)
);

CREATE TABLE taken_hour (
  hour timestamp with time zone NOT NULL,
  taker text NOT NULL,
  records bigint NOT NULL,
  pages bigint NOT NULL,
  refusals bigint NOT NULL,
  CONSTRAINT taken_hour_pkey PRIMARY KEY (hour, taker)
);

CREATE TABLE taken_rate (
  age_from integer NOT NULL,
  score_from integer NOT NULL,
  exposure_days double precision NOT NULL,
  taken double precision NOT NULL,
  observed_at timestamp with time zone NOT NULL,
  CONSTRAINT taken_rate_exposure_days_check CHECK ((exposure_days >= (0)::double precision)),
  CONSTRAINT taken_rate_pkey PRIMARY KEY (age_from, score_from),
  CONSTRAINT taken_rate_taken_check CHECK ((taken >= (0)::double precision))
);

CREATE TABLE top_up (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  idempotency_key text NOT NULL,
  cents bigint NOT NULL,
  made_at timestamp with time zone NOT NULL,
  checkout_url text,
  ends_at timestamp with time zone NOT NULL,
  paid_at timestamp with time zone,
  available_at timestamp with time zone,
  hold_id uuid,
  CONSTRAINT top_up_account_id_idempotency_key_key UNIQUE (account_id, idempotency_key),
  CONSTRAINT top_up_cents_check CHECK ((cents > 0)),
  CONSTRAINT top_up_check CHECK (((paid_at IS NULL) = (available_at IS NULL))),
  CONSTRAINT top_up_pkey PRIMARY KEY (id)
);

CREATE TABLE truth_sample (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  domain text COLLATE "C" NOT NULL,
  stratum text NOT NULL,
  wayback integer NOT NULL,
  dropped_at timestamp with time zone,
  offered_since timestamp with time zone NOT NULL,
  asked_at timestamp with time zone NOT NULL,
  outcome text NOT NULL,
  CONSTRAINT truth_sample_outcome_check CHECK ((outcome = ANY (ARRAY['free'::text, 'taken'::text, 'unknown'::text]))),
  CONSTRAINT truth_sample_pkey PRIMARY KEY (id),
  CONSTRAINT truth_sample_stratum_check CHECK ((stratum = ANY (ARRAY['all'::text, 'top_100'::text, 'top_1000'::text, 'top_10000'::text, 'age'::text])))
);

CREATE TABLE usage_day (
  account_id uuid NOT NULL,
  key_id uuid,
  day date NOT NULL,
  records bigint NOT NULL,
  CONSTRAINT usage_day_account_id_key_id_day_key UNIQUE NULLS NOT DISTINCT (account_id, key_id, day)
) WITH (fillfactor=50);

CREATE TABLE watch (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  account_id uuid NOT NULL,
  domain text COLLATE "C",
  question text COLLATE "C",
  event_types text[] NOT NULL,
  after_event bigint NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  reading jsonb,
  CONSTRAINT watch_account_id_domain_key UNIQUE (account_id, domain),
  CONSTRAINT watch_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT watch_account_id_question_key UNIQUE (account_id, question),
  CONSTRAINT watch_check CHECK ((num_nonnulls(domain, question) = 1)),
  CONSTRAINT watch_pkey PRIMARY KEY (id)
);

CREATE TABLE watch_notice (
  account_id uuid NOT NULL,
  event bigint NOT NULL,
  type text NOT NULL,
  domain text COLLATE "C" NOT NULL,
  occurred_at timestamp with time zone NOT NULL,
  watches uuid[] NOT NULL,
  mail text NOT NULL,
  made_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT watch_notice_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT watch_notice_mail_check CHECK ((mail = ANY (ARRAY['waiting'::text, 'sent'::text, 'none'::text]))),
  CONSTRAINT watch_notice_pkey PRIMARY KEY (account_id, event)
);

CREATE TABLE watch_outbox (
  singleton boolean DEFAULT true NOT NULL,
  last_event bigint NOT NULL,
  CONSTRAINT watch_outbox_pkey PRIMARY KEY (singleton),
  CONSTRAINT watch_outbox_singleton_check CHECK (singleton)
);

CREATE TABLE watcher (
  account_id uuid NOT NULL,
  mails text DEFAULT 'at_once'::text NOT NULL,
  feed_generation integer DEFAULT 1 NOT NULL,
  mail_due_at timestamp with time zone,
  held_until timestamp with time zone,
  failures smallint DEFAULT 0 NOT NULL,
  problem text,
  mailed_at timestamp with time zone,
  mail_day date,
  mails_of_day smallint DEFAULT 0 NOT NULL,
  CONSTRAINT watcher_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT watcher_mails_check CHECK ((mails = ANY (ARRAY['at_once'::text, 'daily'::text, 'off'::text]))),
  CONSTRAINT watcher_pkey PRIMARY KEY (account_id)
);

CREATE TABLE webhook (
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
  watched_only boolean DEFAULT false NOT NULL,
  host text GENERATED ALWAYS AS ("substring"(url, '^[a-z]+://([^/?#]+)'::text)) STORED,
  CONSTRAINT webhook_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT webhook_account_id_idempotency_key_key UNIQUE (account_id, idempotency_key),
  CONSTRAINT webhook_batch_size_check CHECK (((batch_size >= 1) AND (batch_size <= 100))),
  CONSTRAINT webhook_pkey PRIMARY KEY (id)
);

CREATE TABLE webhook_delivery (
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
  data jsonb,
  CONSTRAINT webhook_delivery_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_delivery_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);

CREATE TABLE webhook_outbox (
  singleton boolean DEFAULT true NOT NULL,
  last_event bigint NOT NULL,
  CONSTRAINT webhook_outbox_pkey PRIMARY KEY (singleton),
  CONSTRAINT webhook_outbox_singleton_check CHECK (singleton)
);

CREATE TABLE webhook_proof (
  account_id uuid NOT NULL,
  place text NOT NULL,
  proven_at timestamp with time zone DEFAULT now() NOT NULL,
  proven_by text NOT NULL,
  CONSTRAINT webhook_proof_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT webhook_proof_pkey PRIMARY KEY (account_id, place),
  CONSTRAINT webhook_proof_proven_by_check CHECK ((proven_by = ANY (ARRAY['challenge'::text, 'file'::text, 'use'::text])))
);

CREATE TABLE webhook_turn (
  account_id uuid NOT NULL,
  next_at timestamp with time zone,
  next_proof_at timestamp with time zone,
  CONSTRAINT webhook_turn_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT webhook_turn_pkey PRIMARY KEY (account_id)
);

CREATE TABLE word_fill (
  singleton boolean DEFAULT true NOT NULL,
  is_complete boolean NOT NULL,
  lexicon text,
  after text COLLATE "C" DEFAULT ''::text NOT NULL,
  CONSTRAINT word_fill_pkey PRIMARY KEY (singleton),
  CONSTRAINT word_fill_singleton_check CHECK (singleton)
);

CREATE TABLE work (
  kind text NOT NULL,
  key text NOT NULL,
  lane text DEFAULT ''::text NOT NULL,
  due_at timestamp with time zone NOT NULL,
  ready boolean DEFAULT false NOT NULL,
  turn double precision DEFAULT 0 NOT NULL,
  holder uuid,
  fence bigint DEFAULT 0 NOT NULL,
  deadline_at timestamp with time zone,
  wake_at timestamp with time zone,
  cursor jsonb,
  failures integer DEFAULT 0 NOT NULL,
  last_run_at timestamp with time zone,
  last_success_at timestamp with time zone,
  last_error text,
  last_error_at timestamp with time zone,
  is_slow boolean DEFAULT false NOT NULL,
  overran_at timestamp with time zone,
  CONSTRAINT work_check CHECK (((holder IS NULL) OR (NOT ready))),
  CONSTRAINT work_failures_check CHECK ((failures >= 0)),
  CONSTRAINT work_pkey PRIMARY KEY (kind, key)
) WITH (fillfactor=70);

CREATE TABLE work_holder (
  id uuid NOT NULL,
  process text NOT NULL,
  kinds text[] NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT work_holder_pkey PRIMARY KEY (id)
);

CREATE TABLE work_kind (
  kind text NOT NULL,
  paused_at timestamp with time zone,
  paused_by text,
  pause_reason text,
  wanted_at timestamp with time zone,
  CONSTRAINT work_kind_check CHECK ((((paused_at IS NULL) = (paused_by IS NULL)) AND ((paused_at IS NULL) = (pause_reason IS NULL)))),
  CONSTRAINT work_kind_pkey PRIMARY KEY (kind)
);

CREATE INDEX account_attempt_expire ON public.account_attempt USING btree (expire);

CREATE INDEX account_link_expires_at ON public.account_link USING btree (expires_at);

CREATE INDEX account_link_identifier ON public.account_link USING btree (identifier);

CREATE INDEX account_passkey_account ON public.account_passkey USING btree (account_id);

CREATE INDEX account_session_account_id ON public.account_session USING btree (account_id);

CREATE INDEX account_session_expires_at ON public.account_session USING btree (expires_at);

CREATE INDEX account_sign_up_expires_at ON public.account_sign_up USING btree (expires_at);

CREATE INDEX account_unverified ON public.account USING btree (created_at) WHERE (NOT email_verified);

CREATE INDEX audit_log_action ON public.audit_log USING btree (subject, action, at);

CREATE INDEX audit_log_age ON public.audit_log USING btree (at);

CREATE INDEX audit_log_subject ON public.audit_log USING btree (subject, id DESC);

CREATE INDEX bulk_check_ends_at ON public.bulk_check USING btree (ends_at);

CREATE INDEX bulk_check_open ON public.bulk_check USING btree (leased_until) WHERE (NOT is_done);

CREATE INDEX card_dispute_account ON public.card_dispute USING btree (account_id);

CREATE INDEX card_payment_unbooked ON public.card_payment USING btree (seen_at) WHERE (booked_at IS NULL);

CREATE INDEX domain_archive_ask_at ON public.domain_archive USING btree (ask_at) WHERE (ask_at IS NOT NULL);

CREATE INDEX domain_band_0 ON public.domain USING gin (domain_grams(name, tld), domain_traits(name, hyphens, digits, first_seen), words, domain_word_traits(words, name, tld, hyphens, digits, archive_first_capture, archive_last_capture)) WITH (fastupdate='on') WHERE (available AND (NOT hidden) AND (wayback >= 0) AND (wayback <= 0));

CREATE INDEX domain_band_1 ON public.domain USING gin (domain_grams(name, tld), domain_traits(name, hyphens, digits, first_seen), words, domain_word_traits(words, name, tld, hyphens, digits, archive_first_capture, archive_last_capture)) WITH (fastupdate='on') WHERE (available AND (NOT hidden) AND (wayback >= 1) AND (wayback <= 9));

CREATE INDEX domain_band_10 ON public.domain USING gin (domain_grams(name, tld), domain_traits(name, hyphens, digits, first_seen), words, domain_word_traits(words, name, tld, hyphens, digits, archive_first_capture, archive_last_capture)) WITH (fastupdate='on') WHERE (available AND (NOT hidden) AND (wayback >= 10) AND (wayback <= 99));

CREATE INDEX domain_band_100 ON public.domain USING gin (domain_grams(name, tld), domain_traits(name, hyphens, digits, first_seen), words, domain_word_traits(words, name, tld, hyphens, digits, archive_first_capture, archive_last_capture)) WITH (fastupdate='on') WHERE (available AND (NOT hidden) AND (wayback >= 100) AND (wayback <= 999));

CREATE INDEX domain_band_1000 ON public.domain USING gin (domain_grams(name, tld), domain_traits(name, hyphens, digits, first_seen), words, domain_word_traits(words, name, tld, hyphens, digits, archive_first_capture, archive_last_capture)) WITH (fastupdate='on') WHERE (available AND (NOT hidden) AND (wayback >= 1000));

CREATE INDEX domain_band_10000 ON public.domain USING gin (domain_grams(name, tld), domain_traits(name, hyphens, digits, first_seen)) WITH (fastupdate='on') WHERE (available AND (NOT hidden) AND (wayback >= 10000));

CREATE INDEX domain_band_300 ON public.domain USING gin (domain_grams(name, tld), domain_traits(name, hyphens, digits, first_seen), words, domain_word_traits(words, name, tld, hyphens, digits, archive_first_capture, archive_last_capture)) WITH (fastupdate='on') WHERE (available AND (NOT hidden) AND (wayback >= 300) AND (wayback <= 999));

CREATE INDEX domain_event_domain ON public.domain_event USING hash (domain);

CREATE INDEX domain_first_seen ON public.domain USING btree (first_seen DESC NULLS LAST, wayback DESC, domain) WHERE (available AND (NOT hidden));

CREATE INDEX domain_fresh ON public.domain USING btree ((((purge_at AT TIME ZONE 'UTC'::text))::date) DESC, wayback DESC, domain) WHERE ((state = 'purged'::text) AND (ask_at IS NULL));

CREATE INDEX domain_length ON public.domain USING btree (length, wayback DESC, domain) INCLUDE (first_seen) WHERE (available AND (NOT hidden));

CREATE INDEX domain_listed ON public.domain USING btree (purge_at, wayback DESC, domain) WHERE (state = 'listed'::text);

CREATE INDEX domain_question ON public.domain USING btree (state, wayback DESC, domain) WHERE ((state = ANY (ARRAY['purged'::text, 'unconfirmed'::text])) AND (ask_at IS NULL));

CREATE INDEX domain_rank ON public.domain USING btree (tld, wayback DESC, domain) INCLUDE (first_seen) WHERE (available AND (NOT hidden));

CREATE INDEX domain_retry ON public.domain USING btree (ask_at) WHERE ((ask_at IS NOT NULL) AND (NOT available));

CREATE INDEX domain_shape ON public.domain USING btree (hyphens, digits, tld, length, first_seen, wayback, domain) WHERE (available AND (NOT hidden));

CREATE INDEX domain_state ON public.domain USING btree (state, tld, wayback DESC, domain) WHERE ((NOT available) AND (NOT hidden));

CREATE INDEX domain_uncut ON public.domain USING btree (domain) WHERE (words IS NULL);

CREATE INDEX domain_unscored ON public.domain USING btree (state, purge_at DESC NULLS LAST) WHERE ((archive_status = 'pending'::text) AND (NOT hidden));

CREATE INDEX export_newest ON public.export USING btree (made_at DESC, id DESC);

CREATE INDEX export_newest_of_kind ON public.export USING btree (kind, made_at DESC, id DESC);

CREATE INDEX former_site_queue ON public.former_site USING btree (wanted_at, next_at) WHERE (state = 'waiting'::text);

CREATE INDEX former_site_titles ON public.former_site USING gin (array_to_tsvector(title_words));

CREATE INDEX idempotent_request_account_id ON public.idempotent_request USING btree (account_id);

CREATE INDEX idempotent_request_begun_at ON public.idempotent_request USING btree (begun_at);

CREATE INDEX incident_began_at_idx ON public.incident USING btree (began_at DESC, id);

CREATE INDEX kept_answer_domain ON ONLY public.kept_answer USING btree (domain);

CREATE INDEX ledger_entry_account ON public.ledger_entry USING btree (ledger_account_id, transaction_id);

CREATE INDEX ledger_hold_active ON public.ledger_hold USING btree (ledger_account_id) WHERE (state = 'active'::text);

CREATE INDEX list_fetch_address ON public.list_fetch USING btree (address, id DESC);

CREATE INDEX list_fetch_imported ON public.list_fetch USING btree (address, id DESC) WHERE (outcome = 'imported'::text);

CREATE INDEX list_fetch_unfinished ON public.list_fetch USING btree (id) WHERE (outcome IS NULL);

CREATE INDEX mandate_account ON public.mandate USING btree (account_id, made_at DESC);

CREATE INDEX oauth_access_token_account_id ON public.oauth_access_token USING btree (account_id);

CREATE INDEX oauth_access_token_authorization_code_id ON public.oauth_access_token USING btree (authorization_code_id);

CREATE INDEX oauth_access_token_client_id ON public.oauth_access_token USING btree (client_id);

CREATE INDEX oauth_access_token_expires_at ON public.oauth_access_token USING btree (expires_at);

CREATE INDEX oauth_access_token_refresh_id ON public.oauth_access_token USING btree (refresh_id);

CREATE INDEX oauth_access_token_session_id ON public.oauth_access_token USING btree (session_id);

CREATE INDEX oauth_client_created_at ON public.oauth_client USING btree (created_at);

CREATE INDEX oauth_consent_account_id ON public.oauth_consent USING btree (account_id);

CREATE INDEX oauth_consent_client_id ON public.oauth_consent USING btree (client_id);

CREATE INDEX oauth_refresh_token_account_id ON public.oauth_refresh_token USING btree (account_id);

CREATE INDEX oauth_refresh_token_authorization_code_id ON public.oauth_refresh_token USING btree (authorization_code_id);

CREATE INDEX oauth_refresh_token_client_id ON public.oauth_refresh_token USING btree (client_id);

CREATE INDEX oauth_refresh_token_expires_at ON public.oauth_refresh_token USING btree (expires_at);

CREATE INDEX oauth_refresh_token_session_id ON public.oauth_refresh_token USING btree (session_id);

CREATE INDEX operator_credit_waiting ON public.operator_credit USING btree (asked_at) WHERE (booked_at IS NULL);

CREATE INDEX operator_import_age ON public.operator_import USING btree (started_at DESC, id);

CREATE INDEX operator_passkey_key_hash_idx ON public.operator_passkey USING btree (key_hash);

CREATE INDEX order_notice_account ON public.order_notice USING btree (account_id);

CREATE INDEX order_notice_due ON public.order_notice USING btree (due_at);

CREATE INDEX packed_answer_domains ON public.packed_answer USING gin (domains) WITH (fastupdate=off);

CREATE INDEX packed_answer_last_at ON public.packed_answer USING btree (last_at);

CREATE INDEX question_failure_age ON public.question_failure USING btree (failed_at);

CREATE INDEX recheck_checked_at ON public.recheck USING btree (checked_at) WHERE offered;

CREATE INDEX recheck_offered ON public.recheck USING btree (ask_at) WHERE offered;

CREATE INDEX recheck_stale ON public.recheck USING btree (ask_at) WHERE (NOT offered);

CREATE INDEX registrant_profile_account ON public.registrant_profile USING btree (account_id, created_at);

CREATE INDEX registrar_exchange_attempt ON public.registrar_exchange USING btree (cltrid, id) WHERE (cltrid IS NOT NULL);

CREATE INDEX registrar_exchange_sent ON public.registrar_exchange USING brin (sent_at);

CREATE UNIQUE INDEX registration_attempt_open ON public.registration_attempt USING btree (order_id) WHERE (ended_at IS NULL);

CREATE INDEX registration_attempt_order ON public.registration_attempt USING btree (order_id, sent_at DESC);

CREATE INDEX registration_attempt_without ON public.registration_attempt USING btree (registrar, ended_at) WHERE ((ended_as = ANY (ARRAY['failed'::text, 'lost'::text])) AND (asks > 0));

CREATE INDEX registration_order_account ON public.registration_order USING btree (account_id, number DESC);

CREATE INDEX registration_order_awaiting ON public.registration_order USING btree (account_id) WHERE (state = 'awaiting_approval'::text);

CREATE INDEX registration_order_expiry ON public.registration_order USING btree (expires_at) WHERE ((state = 'registered'::text) AND (renews IS NULL));

CREATE UNIQUE INDEX registration_order_live ON public.registration_order USING btree (domain) WHERE (state = ANY (ARRAY['submitting'::text, 'pending_registry'::text, 'unknown'::text, 'needs_operator'::text]));

CREATE INDEX registration_order_mandate ON public.registration_order USING btree (mandate_id, approved_at) WHERE (mandate_id IS NOT NULL);

CREATE INDEX registration_order_reconcile ON public.registration_order USING btree (registrar, number) WHERE ((state = 'registered'::text) AND (renews IS NULL));

CREATE INDEX registration_order_registered ON public.registration_order USING btree (domain) WHERE (state = 'registered'::text);

CREATE INDEX registration_order_renews ON public.registration_order USING btree (renews) WHERE (renews IS NOT NULL);

CREATE INDEX registration_order_waiting ON public.registration_order USING btree (domain, approved_at, number) WHERE (state = ANY (ARRAY['approved'::text, 'waiting_for_drop'::text]));

CREATE INDEX registry_answer_expires_at ON public.registry_answer USING btree (expires_at);

CREATE INDEX top_up_account ON public.top_up USING btree (account_id, made_at DESC);

CREATE INDEX truth_sample_asked_at ON public.truth_sample USING btree (asked_at);

CREATE INDEX usage_day_day ON public.usage_day USING btree (day);

CREATE INDEX usage_day_history ON public.usage_day USING btree (account_id, day);

CREATE INDEX watch_domain ON public.watch USING btree (domain) WHERE (domain IS NOT NULL);

CREATE INDEX watch_notice_age ON public.watch_notice USING btree (made_at);

CREATE INDEX watch_notice_waiting ON public.watch_notice USING btree (account_id, event) WHERE (mail = 'waiting'::text);

CREATE INDEX watcher_due ON public.watcher USING btree (mail_due_at) WHERE (mail_due_at IS NOT NULL);

CREATE INDEX webhook_account ON public.webhook USING btree (account_id, created_at);

CREATE INDEX webhook_delivery_age ON public.webhook_delivery USING btree (created_at);

CREATE INDEX webhook_delivery_due ON public.webhook_delivery USING btree (webhook_id, due_at) WHERE (status = 'pending'::text);

CREATE INDEX webhook_delivery_failed ON public.webhook_delivery USING btree (webhook_id, created_at, id) WHERE (status = 'failed'::text);

CREATE INDEX webhook_delivery_log ON public.webhook_delivery USING btree (webhook_id, created_at, id);

CREATE INDEX work_due_idx ON public.work USING btree (kind, due_at) WHERE ((holder IS NULL) AND (NOT ready));

CREATE INDEX work_held_idx ON public.work USING btree (holder) WHERE (holder IS NOT NULL);

CREATE INDEX work_lane_idx ON public.work USING btree (kind, lane, turn);

CREATE INDEX work_ready_idx ON public.work USING btree (kind, is_slow, turn) WHERE ((holder IS NULL) AND ready);

CREATE TRIGGER account_disabled AFTER UPDATE OF disabled_at ON public.account FOR EACH STATEMENT EXECUTE FUNCTION raise_auth_version();

CREATE TRIGGER account_tier_changed AFTER UPDATE OF tier ON public.account FOR EACH STATEMENT EXECUTE FUNCTION raise_auth_version();

CREATE TRIGGER announce_events AFTER INSERT ON public.domain_event FOR EACH STATEMENT EXECUTE FUNCTION announce_events();

CREATE TRIGGER announce_order_notices AFTER INSERT ON public.order_notice FOR EACH ROW WHEN ((new.due_at <= new.at)) EXECUTE FUNCTION announce_order_notices();

CREATE TRIGGER api_key_taken_away AFTER DELETE OR UPDATE OF hash, account_id, kind, scopes, expires_at, revoked_at OR TRUNCATE ON public.api_key FOR EACH STATEMENT EXECUTE FUNCTION raise_auth_version();

CREATE TRIGGER bulk_check_leases_ended BEFORE UPDATE OF leased_until ON public.bulk_check FOR EACH ROW EXECUTE FUNCTION keep_from_previous_release();

CREATE TRIGGER bulk_check_of_previous_release AFTER INSERT ON public.bulk_check FOR EACH ROW WHEN ((new.leased_until > '-infinity'::timestamp with time zone)) EXECUTE FUNCTION queue_bulk_check();

CREATE TRIGGER job_lease_ended BEFORE INSERT OR DELETE OR UPDATE ON public.job_lease FOR EACH ROW EXECUTE FUNCTION keep_from_previous_release();

CREATE TRIGGER ledger_account_append_only BEFORE DELETE OR TRUNCATE ON public.ledger_account FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();

CREATE TRIGGER ledger_account_begins_empty BEFORE INSERT ON public.ledger_account FOR EACH ROW WHEN (((new.balance_cents <> 0) OR (new.held_cents <> 0))) EXECUTE FUNCTION ledger_refuse();

CREATE TRIGGER ledger_account_by_trigger BEFORE UPDATE ON public.ledger_account FOR EACH ROW WHEN ((pg_trigger_depth() < 1)) EXECUTE FUNCTION ledger_refuse();

CREATE TRIGGER ledger_apply_entry BEFORE INSERT ON public.ledger_entry FOR EACH ROW EXECUTE FUNCTION ledger_apply_entry();

CREATE TRIGGER ledger_apply_hold BEFORE INSERT OR UPDATE ON public.ledger_hold FOR EACH ROW EXECUTE FUNCTION ledger_apply_hold();

CREATE TRIGGER ledger_entry_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();

CREATE CONSTRAINT TRIGGER ledger_entry_zero AFTER INSERT ON public.ledger_entry DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_assert_zero();

CREATE TRIGGER ledger_hold_append_only BEFORE DELETE OR TRUNCATE ON public.ledger_hold FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();

CREATE TRIGGER ledger_hold_gives_back AFTER UPDATE ON public.ledger_hold FOR EACH ROW WHEN ((new.state = 'released'::text)) EXECUTE FUNCTION mandate_give_back();

CREATE TRIGGER ledger_transaction_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_transaction FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();

CREATE CONSTRAINT TRIGGER ledger_transaction_zero AFTER INSERT ON public.ledger_transaction DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_assert_zero();

CREATE TRIGGER oauth_access_token_taken_away_by_delete AFTER DELETE ON public.oauth_access_token REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION raise_auth_version_for_tokens();

CREATE TRIGGER oauth_access_token_taken_away_by_update AFTER UPDATE ON public.oauth_access_token REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION raise_auth_version_for_tokens();

CREATE TRIGGER receipt_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.receipt FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();

CREATE TRIGGER refuse_older_release BEFORE UPDATE ON public.dataset FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_release();

CREATE TRIGGER refuse_older_worker BEFORE INSERT OR UPDATE ON public.work_holder FOR EACH STATEMENT EXECUTE FUNCTION refuse_older_release();

CREATE TRIGGER registration_order_spends AFTER UPDATE OF approved_at ON public.registration_order FOR EACH ROW WHEN (((old.approved_at IS NULL) AND (new.approved_at IS NOT NULL))) EXECUTE FUNCTION mandate_spend();

CREATE TRIGGER watcher_leases_ended BEFORE UPDATE OF held_until ON public.watcher FOR EACH ROW WHEN ((new.held_until IS NOT NULL)) EXECUTE FUNCTION keep_from_previous_release();

CREATE TRIGGER webhook_leases_ended BEFORE UPDATE OF held_until ON public.webhook FOR EACH ROW EXECUTE FUNCTION keep_from_previous_release();
