package dev.sluice.gateway;

import dev.sluice.gateway.core.web.ApiDocumentContract;

class ApiDocumentTests extends ApiDocumentContract {

}
