#!/bin/sh
# One role owns the tables and migrates them; the service's role has no way to change an audit row.
set -eu
psql -v ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres \
  -v owner_password="$DATABASE_OWNER_PASSWORD" -v password="$DATABASE_PASSWORD" <<'SQL'
CREATE ROLE retrieval_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE retrieval LOGIN PASSWORD :'password';
CREATE DATABASE retrieval OWNER retrieval_owner;
REVOKE ALL ON DATABASE retrieval FROM PUBLIC;
GRANT CONNECT ON DATABASE retrieval TO retrieval;
SQL
