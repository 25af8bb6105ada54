ALTER TABLE "unit" ADD COLUMN "language" TEXT;
