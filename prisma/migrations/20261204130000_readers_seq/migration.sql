-- AlterTable
ALTER TABLE "unit" ADD COLUMN     "content_seq" BIGINT,
ADD COLUMN     "readers_seq" BIGINT;
