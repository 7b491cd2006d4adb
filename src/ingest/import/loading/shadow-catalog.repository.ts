// The catalog writes the statements that give a shadow table what LIKE does not: each query below yields them, and $1 is the shadow table's
// schema. So a migration that adds an index needs no second place that knows of it.

/** A row of each. */
export interface Statement {
  name: string;
  statement: string;
}

/** Whether the role may make the shadow table's schema, and nothing depends on `domain` that a shadow table could not take over. */
export const IS_REPLACEABLE = `
  SELECT has_database_privilege(current_database(), 'CREATE')
     AND NOT EXISTS (SELECT FROM pg_constraint WHERE confrelid = 'domain'::regclass)
     AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = 'domain'::regclass AND NOT tgisinternal)
     AND NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = 'domain'::regclass)
     AND NOT EXISTS (SELECT FROM pg_inherits WHERE 'domain'::regclass IN (inhrelid, inhparent))
     AND NOT EXISTS (SELECT FROM pg_publication_rel WHERE prrelid = 'domain'::regclass)
     -- Views, rules and functions.
     AND NOT EXISTS (SELECT FROM pg_depend
                      WHERE refclassid = 'pg_class'::regclass AND refobjid = 'domain'::regclass
                        AND classid IN ('pg_rewrite'::regclass, 'pg_proc'::regclass)) AS possible`;

export const SETTINGS_AND_RIGHTS = `
  SELECT '' AS name, format('ALTER TABLE %I.domain SET (%s)', $1::text, array_to_string(reloptions, ', ')) AS statement
    FROM pg_class WHERE oid = 'domain'::regclass AND reloptions IS NOT NULL
   UNION ALL
  SELECT '', format('ALTER TABLE %I.domain ALTER COLUMN %I SET STATISTICS %s', $1::text, attname, attstattarget)
    FROM pg_attribute WHERE attrelid = 'domain'::regclass AND attnum > 0 AND NOT attisdropped AND attstattarget >= 0
   UNION ALL
  SELECT '', format('GRANT %s ON %I.domain TO %s', privilege_type, $1::text,
                    CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END)
    FROM pg_class, aclexplode(relacl) WHERE oid = 'domain'::regclass`;

export const DEFAULTS = `
  SELECT '' AS name,
         format('ALTER TABLE %I.domain ALTER COLUMN %I %s', $1::text, attname,
                coalesce('SET DEFAULT ' || pg_get_expr(adbin, adrelid), 'DROP DEFAULT')) AS statement
    FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
   WHERE attrelid = 'domain'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`;

export const KEYS = `
  SELECT conname AS name,
         format('ALTER TABLE %I.domain ADD CONSTRAINT %I %s', $1::text, conname, pg_get_constraintdef(oid)) AS statement
    FROM pg_constraint
   WHERE conrelid = 'domain'::regclass AND contype IN ('p', 'u', 'x', 'f')
   ORDER BY contype = 'p' DESC, conname`;

// The definition names the table with its schema: CREATE INDEX name ON public.domain USING ...
export const INDEXES = `
  SELECT pg_class.relname AS name,
         regexp_replace(pg_get_indexdef(indexrelid), ' ON (ONLY )?\\S+ USING ', format(' ON %I.domain USING ', $1::text)) AS statement
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
   WHERE indrelid = 'domain'::regclass
     AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
   ORDER BY pg_class.relname`;

export const STATISTICS = `
  SELECT stxname AS name,
         regexp_replace(
           regexp_replace(pg_get_statisticsobjdef(oid), '^CREATE STATISTICS \\S+ ', format('CREATE STATISTICS %I.%I ', $1::text, stxname)),
           ' FROM \\S+$', format(' FROM %I.domain', $1::text)) AS statement
    FROM pg_statistic_ext WHERE stxrelid = 'domain'::regclass`;
