"""ERP companies, products and dashboard, in the notation of `catalogue.grammar`."""

KINDS = """
ERPCompany = {*_id text, *worldRef WorldReference, *companyId text, *name text,
  *status CompanyState = ACTIVE, *companyType CompanyType = CUSTOMER, isMpcCompany flag = false,
  externalReference text, legalName text, duns text, taxId text, taxRegistrationNumbers [{*country text,
  *number text}], currency text = USD, paymentTerms text, creditLimit number, creditHold flag = false,
  billingAddress Address, shippingAddress Address, remitTo Address, primaryContact Contact, salesOrg text,
  priceList text, glAccount text, customerClass text, customFields object, createdAt moment,
  updatedAt moment}
ERPProduct = {*_id text, *worldRef WorldReference, *productId text, *name text,
  *status ProductState = ACTIVE, upc text, ean text, description text, commodityCode text,
  taxClassification text, unitOfMeasure text = EA, weight {value number, unit text}, dimensions Dimensions,
  inventoryTracking flag = true, price Money, cost Money, leadTimeDays number, customFields object,
  createdAt moment, updatedAt moment}
CompanyState = ACTIVE|BLOCKED|INACTIVE|PROSPECT
CompanyType = CUSTOMER|INTERNAL|PARTNER|SUPPLIER
Contact = {name text, email text, phone text}
Dimensions = {length number, width number, height number, unit text}
Money = {currency text, amount number}
OrderFigures = {total number, byStatus object, recentOrders number, totalValue number,
  averageOrderValue number}
ProductState = ACTIVE|DISCONTINUED
"""

OPERATIONS = """
GET erp/companies 200 page ERPCompany
  ? {status CompanyState, companyType CompanyType, currency text, isMpcCompany flag, search text,
    cursor text, limit count = 50}
POST erp/companies 201 item ERPCompany ! 400
  < {*name text, isMpcCompany flag, companyId text, externalReference text, legalName text, duns text,
    taxId text, taxRegistrationNumbers [{country text, number text}], currency text, paymentTerms text,
    creditLimit number, creditHold flag, billingAddress Address, shippingAddress Address, remitTo Address,
    primaryContact Contact, salesOrg text, priceList text, glAccount text, customerClass text,
    status CompanyState, companyType CompanyType, customFields object}
POST erp/companies/bulk 200 item {message text} ! 400
  < {*companies [{companyId text, name text, status CompanyState}]}
GET erp/companies/duns/{dunsNumber} 200 item ERPCompany ! 404
GET erp/companies/mpc 200 item ERPCompany ! 404
GET erp/companies/random 200 item ERPCompany ! 404
  ? {type mpc|npc = npc}
DELETE erp/companies/{companyId} 200 item {message text} ! 404
GET erp/companies/{companyId} 200 item ERPCompany ! 404
PUT erp/companies/{companyId} 200 item ERPCompany ! 404
  < {name text, status CompanyState, creditLimit number, creditHold flag, primaryContact Contact,
    billingAddress Address, customFields object}
GET erp/operations-dashboard 200 item {orders {purchaseOrders OrderFigures, salesOrders OrderFigures},
    invoices {total number, byStatus object, totalOutstanding number, overdueCount number,
    paidThisMonth number}, companies {total number, byType object, activeCustomers number,
    activeSuppliers number, activeCompanies number}, products {total number, activeProducts number,
    discontinuedProducts number}} ! 400
GET erp/products 200 list ERPProduct
  ? {status ProductState, inventoryTracking flag, minPrice number, maxPrice number, searchText text,
    cursor text, limit count = 50}
POST erp/products 201 item ERPProduct ! 400
  < {*name text, productId text, upc text, ean text, description text, commodityCode text,
    taxClassification text, unitOfMeasure text, weight {value number, unit text}, dimensions Dimensions,
    inventoryTracking flag, price Money, cost Money, leadTimeDays number, status ProductState,
    customFields object}
POST erp/products/bulk 200 item {message text} ! 400
  < {*products [{productId text, name text, status ProductState}]}
GET erp/products/random 200 item ERPProduct ! 404
DELETE erp/products/{productId} 200 item {message text} ! 404
GET erp/products/{productId} 200 item ERPProduct ! 404
PUT erp/products/{productId} 200 item ERPProduct ! 404
  < {name text, description text, status ProductState, price Money, cost Money, inventoryTracking flag,
    leadTimeDays number, customFields object}
"""
