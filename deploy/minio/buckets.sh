#!/bin/sh
# The service has a user of its own, which reaches its two buckets and can't remove what anchors the audit logs.
set -eu
mc alias set store http://minio:9000 root "$MINIO_ROOT_PASSWORD"
mc mb --ignore-existing store/retrieval-sources store/retrieval-audit
cat > /tmp/policy.json <<'JSON'
{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Effect": "Allow",
      "Action": ["s3:ListBucket", "s3:GetBucketLocation"],
      "Resource": ["arn:aws:s3:::retrieval-sources", "arn:aws:s3:::retrieval-audit"]
    },
    {
      "Effect": "Allow",
      "Action": ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"],
      "Resource": ["arn:aws:s3:::retrieval-sources/*"]
    },
    {
      "Effect": "Allow",
      "Action": ["s3:GetObject", "s3:PutObject"],
      "Resource": ["arn:aws:s3:::retrieval-audit/*"]
    }
  ]
}
JSON
mc admin user add store retrieval "$S3_SECRET_ACCESS_KEY"
mc admin policy create store retrieval /tmp/policy.json
# Attaching what is attached already is an error to mc.
mc admin policy attach store retrieval --user retrieval || mc admin user info store retrieval | grep -q retrieval
