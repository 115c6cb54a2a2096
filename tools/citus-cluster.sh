#!/usr/bin/env bash
# Starts a Citus cluster on this machine, a coordinator and workers, from an installed PostgreSQL with Citus. For tests and trials: it trusts everybody on
# 127.0.0.1 and does not wait for the disk. With more WORKERS than before it adds them; citus_rebalance_start() then moves shards there.
#
#   tools/citus-cluster.sh start FOLDER [PORT] [WORKERS]   the coordinator listens on PORT (default 55440), the workers (default 2) on the next; prints the URL
#   tools/citus-cluster.sh stop FOLDER
set -euo pipefail
command=${1:?start or stop} folder=${2:?a folder for the servers} port=${3:-55440} workers=${4:-2}
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
bin=${bin:-$(dirname "$(command -v initdb)")}
as_postgres() { if [ "$(id -u)" -eq 0 ]; then (cd / && setpriv --reuid postgres --regid postgres --clear-groups "$@"); else "$@"; fi; }

if [ "$command" = stop ]; then
  for data in "$folder"/*/; do as_postgres "$bin/pg_ctl" -D "$data" -m immediate stop >/dev/null || true; done
  exit 0
fi

[ -e "$("$bin/pg_config" --pkglibdir)/citus.so" ] || { echo "Citus is not installed for the PostgreSQL in $bin" >&2; exit 1; }
mkdir -p "$folder" && chmod 755 "$folder"
for i in $(seq 0 "$workers"); do
  if [ "$i" -eq 0 ]; then data=$folder/coordinator; else data=$folder/worker$i; fi
  if [ ! -e "$data/PG_VERSION" ]; then
    mkdir -p "$data"
    if [ "$(id -u)" -eq 0 ]; then chown postgres "$data"; fi
    as_postgres "$bin/initdb" -D "$data" -U serac -A trust --encoding=UTF8 --no-locale --no-sync >/dev/null
    as_postgres tee -a "$data/postgresql.conf" >/dev/null <<CONF
port = $((port + i))
listen_addresses = '127.0.0.1'
unix_socket_directories = '$data'
shared_preload_libraries = 'citus'
max_connections = 300
max_prepared_transactions = 600
shared_buffers = 64MB
fsync = off
wal_level = logical
citus.node_conninfo = 'sslmode=disable'
CONF
  fi
  as_postgres "$bin/pg_ctl" -D "$data" status >/dev/null || as_postgres "$bin/pg_ctl" -D "$data" -w -t 60 -l "$data/log" start >/dev/null
done
query() { "$bin/psql" -qtA -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$1" -U serac -d "$2" -c "$3"; }
for i in $(seq 0 "$workers"); do
  if [ -n "$(query $((port + i)) postgres "SELECT 1 FROM pg_database WHERE datname = 'serac'")" ]; then continue; fi
  query $((port + i)) postgres 'CREATE DATABASE serac' 2>/dev/null
  query $((port + i)) serac 'CREATE EXTENSION citus'
  if [ "$i" -eq 0 ]; then query "$port" serac "SELECT citus_set_coordinator_host('127.0.0.1', $port)" >/dev/null; fi
  if [ "$i" -gt 0 ]; then query "$port" serac "SELECT citus_add_node('127.0.0.1', $((port + i)))" >/dev/null; fi
done
echo "postgres://serac@127.0.0.1:$port/serac"
