CREATE TABLE products (
  tenant      text    NOT NULL,
  sku         text    NOT NULL,
  cost_cents  integer NOT NULL,
  price_cents integer,
  PRIMARY KEY (tenant, sku)
);
