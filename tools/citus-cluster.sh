#!/usr/bin/env bash
# Starts a Citus cluster of three servers on this machine: a coordinator and two workers, from an installed PostgreSQL with Citus. For tests and trials:
# it trusts everybody on 127.0.0.1 and does not wait for the disk.
#
#   tools/citus-cluster.sh start FOLDER [PORT]   the coordinator listens on PORT (default 55440), the workers on the next two; prints the URL
#   tools/citus-cluster.sh stop FOLDER
set -euo pipefail
command=${1:?start or stop} folder=${2:?a folder for the servers} port=${3:-55440}
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
bin=${bin:-$(dirname "$(command -v initdb)")}
as_postgres() { if [ "$(id -u)" -eq 0 ]; then (cd / && setpriv --reuid postgres --regid postgres --clear-groups "$@"); else "$@"; fi; }
servers=(coordinator worker1 worker2)

if [ "$command" = stop ]; then
  for name in "${servers[@]}"; do as_postgres "$bin/pg_ctl" -D "$folder/$name" -m immediate stop >/dev/null || true; done
  exit 0
fi

[ -e "$("$bin/pg_config" --pkglibdir)/citus.so" ] || { echo "Citus is not installed for the PostgreSQL in $bin" >&2; exit 1; }
mkdir -p "$folder" && chmod 755 "$folder"
for i in 0 1 2; do
  data=$folder/${servers[$i]}
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
  as_postgres "$bin/pg_ctl" -D "$data" -w -t 60 -l "$data/log" start >/dev/null
done
query() { "$bin/psql" -qtA -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$1" -U serac -d "$2" -c "$3"; }
if [ -z "$(query "$port" postgres "SELECT 1 FROM pg_database WHERE datname = 'serac'")" ]; then
  for i in 0 1 2; do
    query $((port + i)) postgres 'CREATE DATABASE serac' 2>/dev/null
    query $((port + i)) serac 'CREATE EXTENSION citus'
  done
  query "$port" serac "SELECT citus_set_coordinator_host('127.0.0.1', $port)" >/dev/null
  for i in 1 2; do query "$port" serac "SELECT citus_add_node('127.0.0.1', $((port + i)))" >/dev/null; done
fi
echo "postgres://serac@127.0.0.1:$port/serac"
