-- AlterTable
ALTER TABLE "plane_model" ADD COLUMN     "change_since" BIGINT,
ADD COLUMN     "serving" BOOLEAN NOT NULL DEFAULT true;

-- CreateIndex
CREATE INDEX "unit_vector_namespace_id_model_unit_id_idx" ON "unit_vector"("namespace_id", "model", "unit_id");
