-- What answers say of hidden Units; null for the exact number.
ALTER TABLE "namespace" ADD COLUMN "hidden_count" TEXT;
