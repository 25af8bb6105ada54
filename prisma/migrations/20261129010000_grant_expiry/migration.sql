-- AlterTable
ALTER TABLE "grant" ADD COLUMN     "expires_at" BIGINT;
