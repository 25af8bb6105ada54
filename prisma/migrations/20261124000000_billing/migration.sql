-- AlterTable
ALTER TABLE "namespace" ADD COLUMN "base_tier" TEXT;

-- CreateTable
CREATE TABLE "billing_customer" (
    "customer" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "own" BOOLEAN NOT NULL,
    "created_at" BIGINT NOT NULL,

    CONSTRAINT "billing_customer_pkey" PRIMARY KEY ("customer")
);

-- CreateTable
CREATE TABLE "billing_event" (
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "created" BIGINT NOT NULL,
    "received_at" BIGINT NOT NULL,

    CONSTRAINT "billing_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "billing_version" (
    "id" TEXT NOT NULL,
    "ordinal" BIGSERIAL NOT NULL,
    "object_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "customer" TEXT,
    "payment_intent" TEXT,
    "principal_id" TEXT,
    "at" BIGINT NOT NULL,
    "source" TEXT NOT NULL,
    "rank" INTEGER NOT NULL,
    "facts" JSONB NOT NULL,

    CONSTRAINT "billing_version_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "billing_question" (
    "object_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "payment_intent" TEXT,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "due_at" BIGINT NOT NULL,

    CONSTRAINT "billing_question_pkey" PRIMARY KEY ("object_id")
);

-- CreateTable
CREATE TABLE "billing_account" (
    "principal_id" TEXT NOT NULL,
    "tier" TEXT,
    "changes_at" BIGINT,

    CONSTRAINT "billing_account_pkey" PRIMARY KEY ("principal_id")
);

-- CreateIndex
CREATE INDEX "billing_customer_principal_id_idx" ON "billing_customer"("principal_id");

-- CreateIndex
CREATE INDEX "billing_version_object_id_idx" ON "billing_version"("object_id");

-- CreateIndex
CREATE INDEX "billing_version_customer_idx" ON "billing_version"("customer");

-- CreateIndex
CREATE INDEX "billing_version_payment_intent_idx" ON "billing_version"("payment_intent");

-- CreateIndex
CREATE INDEX "billing_version_principal_id_idx" ON "billing_version"("principal_id");

-- CreateIndex
CREATE INDEX "billing_version_ordinal_idx" ON "billing_version"("ordinal");

-- CreateIndex
CREATE INDEX "billing_question_due_at_idx" ON "billing_question"("due_at");

-- CreateIndex
CREATE INDEX "billing_account_changes_at_idx" ON "billing_account"("changes_at");

