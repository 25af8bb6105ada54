package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"tour/client"
)

func check[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	ctx, scope := context.Background(), os.Getenv("SVC_SCOPE")
	signed := client.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("SVC_TOKEN"))
		return nil
	})
	service := check(client.NewClientWithResponses(os.Getenv("SVC_URL"), signed))
	text, q, question, hard := "The keeper lights the lamp.", "lamp keeper", "Who lights the lamp?", true
	unit := client.UnitInput{Text: &text, Metadata: &map[string]interface{}{"year": 1907}}
	written := check(service.PostIngestWithResponse(ctx, &client.PostIngestParams{XSvcScope: &scope}, client.IngestInput{Units: []client.UnitInput{unit}})).JSON200
	filters := client.SearchFiltersInput{Metadata: &map[string]interface{}{"year": map[string]int{"gte": 1900}}}
	found := check(service.PostSearchWithResponse(ctx, &client.PostSearchParams{XSvcScope: &scope}, client.SearchInput{Q: &q, Filters: &filters})).JSON200
	answered := check(service.PostAnswerWithResponse(ctx, &client.PostAnswerParams{XSvcScope: &scope}, client.SearchInput{Q: &question})).JSON200
	listed := check(service.GetUnitsWithResponse(ctx, &client.GetUnitsParams{XSvcScope: &scope})).JSON200
	id := written.Units[0].UnitId
	deleted := check(service.PostUnitsDeleteWithResponse(ctx, &client.PostUnitsDeleteParams{XSvcScope: &scope}, client.DeleteUnitsInput{Ids: &[]string{id}, Hard: &hard})).JSON200
	if found.Hits[0].UnitId != id || answered.Answer.Citations[0].UnitId != id || listed.Units[0].UnitId != id || deleted.Purged != 1 {
		panic(fmt.Sprint(found, answered, listed, deleted))
	}
}
