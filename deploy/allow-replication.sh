#!/bin/sh
# Runs once, when the primary's data folder is made: lets replicas of this network connect. On a folder that exists already, add
# the line by hand and run: docker compose exec database psql -U bowerbird -c 'SELECT pg_reload_conf()'
set -eu
echo "host replication $POSTGRES_USER samenet scram-sha-256" >> "$PGDATA/pg_hba.conf"
