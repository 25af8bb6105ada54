-- AlterTable
ALTER TABLE "unit" ADD COLUMN     "title" TEXT;
