-- SHA-256 of an order that the backend refused because it has saved another one under the id: that one is saved, and
-- the fingerprint is never the refused one.
ALTER TABLE order_status ADD COLUMN conflict bytea;
