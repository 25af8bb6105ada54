-- AlterTable
ALTER TABLE "index_cursor" ADD COLUMN     "unsettled_until" BIGINT NOT NULL DEFAULT 0;
