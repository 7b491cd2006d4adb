#!/bin/sh
# Starts a streaming replica, which copies the primary first when its own data folder is empty.
set -eu
PGPASSWORD=$(cat /run/secrets/database_password)
export PGPASSWORD
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  chown postgres:postgres "$PGDATA"
  chmod 700 "$PGDATA"
  # Writes standby.signal and primary_conninfo, with the password.
  gosu postgres pg_basebackup --host database --username bowerbird --pgdata "$PGDATA" --write-recovery-conf --wal-method stream
fi
exec docker-entrypoint.sh postgres
