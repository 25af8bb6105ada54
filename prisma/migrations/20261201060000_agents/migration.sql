CREATE TABLE "oauth_client" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "redirect_uris" TEXT[],
    "application_type" TEXT NOT NULL,
    "created_at" BIGINT NOT NULL,
    "consented_at" BIGINT,

    CONSTRAINT "oauth_client_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "agent_connection" (
    "id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "client_name" TEXT NOT NULL,
    "perms" TEXT[],
    "namespace_id" TEXT,
    "scope_prefix" TEXT,
    "created_at" BIGINT NOT NULL,
    "last_used_at" BIGINT,

    CONSTRAINT "agent_connection_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "agent_token" (
    "hash" TEXT NOT NULL,
    "connection_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "redirect_uri" TEXT,
    "code_challenge" TEXT,
    "expires_at" BIGINT NOT NULL,
    "used_at" BIGINT,

    CONSTRAINT "agent_token_pkey" PRIMARY KEY ("hash")
);

CREATE INDEX "oauth_client_consented_at_created_at_idx" ON "oauth_client"("consented_at", "created_at");
CREATE INDEX "agent_connection_principal_id_idx" ON "agent_connection"("principal_id");
CREATE INDEX "agent_token_connection_id_idx" ON "agent_token"("connection_id");
CREATE INDEX "agent_token_expires_at_idx" ON "agent_token"("expires_at");

ALTER TABLE "agent_connection" ADD CONSTRAINT "agent_connection_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principal"("principal_id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "agent_connection" ADD CONSTRAINT "agent_connection_namespace_id_fkey" FOREIGN KEY ("namespace_id") REFERENCES "namespace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "agent_token" ADD CONSTRAINT "agent_token_connection_id_fkey" FOREIGN KEY ("connection_id") REFERENCES "agent_connection"("id") ON DELETE CASCADE ON UPDATE CASCADE;
